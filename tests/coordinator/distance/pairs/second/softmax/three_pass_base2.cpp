#include <cmath>
#include <cstdint>
#include <limits>

constexpr float kLog2E = 1.4426950408889634f;

template <typename T>
static inline T larger(T a, T b) { return a > b ? a : b; }

static float row_maximum(const float* __restrict row, int64_t count) {
  float m0 = -std::numeric_limits<float>::infinity(), m1 = m0, m2 = m0, m3 = m0;
  int64_t j = 0;
  for (; j + 3 < count; j += 4) {
    m0 = larger(m0, row[j]);
    m1 = larger(m1, row[j + 1]);
    m2 = larger(m2, row[j + 2]);
    m3 = larger(m3, row[j + 3]);
  }
  for (; j < count; ++j) m0 = larger(m0, row[j]);
  return larger(larger(m0, m1), larger(m2, m3));
}

static float exponentials(const float* __restrict row, float* __restrict to, float shift, int64_t count) {
  // exp(v - max) = 2^(v * log2(e) - max * log2(e))
  float total = 0.0f;
  #pragma omp simd reduction(+ : total)
  for (int64_t j = 0; j < count; ++j) {
    const float e = exp2f(row[j] * kLog2E - shift);
    to[j] = e;
    total += e;
  }
  return total;
}

extern "C" void run(const float* logits, float* probabilities, int64_t rows, int64_t columns) {
  #pragma omp parallel for schedule(guided)
  for (int64_t r = 0; r < rows; ++r) {
    const float* source = &logits[r * columns];
    float* target = &probabilities[r * columns];
    const float total = exponentials(source, target, row_maximum(source, columns) * kLog2E, columns);
    #pragma omp simd
    for (int64_t j = 0; j < columns; ++j) target[j] = target[j] / total;
  }
}
