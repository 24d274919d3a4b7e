#include <cstdint>
extern "C" void run(const float* x, const float* w, float* y, int64_t C, int64_t L, int64_t K) {
  const int64_t W = L - K + 1;
#pragma omp parallel for
  for (int64_t c = 0; c < C; ++c) {
    float* out = y + c * W;
    for (int64_t i = 0; i < W; ++i) out[i] = 0.0f;
    for (int64_t k = 0; k < K; ++k)
      for (int64_t i = 0; i < W; ++i) out[i] += w[c * K + k] * x[c * L + i + k];
  }
}
