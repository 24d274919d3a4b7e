#include <cstdint>
#include <cstring>

#ifndef MB
#define MB 32
#endif
#ifndef NB
#define NB 128
#endif
#ifndef KB
#define KB 256
#endif
#define UPTO(start, step, limit) ((start) + (step) < (limit) ? (start) + (step) : (limit))

namespace {

inline void axpy(float alpha, const float* __restrict x, float* __restrict y, int64_t n) {
  int64_t q = 0;
  for (; q + 4 <= n; q += 4) {
    y[q + 0] += alpha * x[q + 0];
    y[q + 1] += alpha * x[q + 1];
    y[q + 2] += alpha * x[q + 2];
    y[q + 3] += alpha * x[q + 3];
  }
  while (q < n) {
    y[q] += alpha * x[q];
    ++q;
  }
}

// One block of the left matrix times one of the right one, added to a block of the product.
void multiply_block(const float* left, const float* right, float* product, int64_t m, int64_t n, int64_t k,
                    int64_t left_width, int64_t right_width) {
  for (int64_t row = 0; row < m; ++row) {
    const float* coefficients = left + row * left_width;
    float* target = product + row * right_width;
    for (int64_t p = 0; p < k; ++p) axpy(coefficients[p], right + p * right_width, target, n);
  }
}

}  // namespace

extern "C" void run(const float* left, const float* right, float* product, int64_t m, int64_t n, int64_t k) {
  memset(product, 0, sizeof(float) * m * n);
  #pragma omp parallel for collapse(2) schedule(dynamic)
  for (int64_t row = 0; row < m; row += MB)
    for (int64_t column = 0; column < n; column += NB) {
      int64_t depth = 0;
      while (depth < k) {
        multiply_block(left + row * k + depth, right + depth * n + column, product + row * n + column,
                       UPTO(row, MB, m) - row, UPTO(column, NB, n) - column, UPTO(depth, KB, k) - depth, k, n);
        depth += KB;
      }
    }
}
