#include <cstdint>
#include <cstdlib>
#include <numeric>
static const float* flip(const float* m, int64_t rows, int64_t cols) {
  float* out = (float*)aligned_alloc(64, (sizeof(float) * rows * cols + 63) / 64 * 64);
  const float* in = m;
  for (int64_t r = 0; r != rows; ++r)
    for (int64_t c = 0; c != cols; ++c) out[c * rows + r] = *in++;
  return out;
}
struct Rows {
  const float* base; int64_t pitch;
  const float* operator[](int64_t r) const { return base + r * pitch; }
};
extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  const float* columns = flip(b, K, N);
  const Rows left{a, K}, right{columns, K};
  for (int64_t e = 0; e < M * N; ++e) c[e] = std::inner_product(left[e / N], left[e / N] + K, right[e % N], 0.0f);
  free(const_cast<float*>(columns));
}
