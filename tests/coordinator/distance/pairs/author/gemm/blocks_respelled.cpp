#include <cstdint>
#include <cstring>
struct Matrix { float* data; int64_t rows, cols; float& operator()(int64_t r, int64_t c) const { return data[r * cols + c]; } };
struct View { const float* data; int64_t rows, cols; float operator()(int64_t r, int64_t c) const { return data[r * cols + c]; } };
template <class F> static void in_blocks(int64_t total, int64_t size, F visit) {
  for (int64_t start = 0; start < total; start += size) visit(start, start + size < total ? start + size : total);
}
extern "C" void run(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  const View left{a, m, k}, right{b, k, n};
  const Matrix out{c, m, n};
  std::memset(c, 0, sizeof(float) * m * n);
  in_blocks(m, 64, [&](int64_t r0, int64_t r1) {
    in_blocks(k, 128, [&](int64_t d0, int64_t d1) {
      in_blocks(n, 256, [&](int64_t c0, int64_t c1) {
        for (int64_t r = r0; r < r1; ++r)
          for (int64_t d = d0; d < d1; ++d) {
            const float s = left(r, d);
            for (int64_t j = c0; j < c1; ++j) out(r, j) += s * right(d, j);
          }
      });
    });
  });
}
