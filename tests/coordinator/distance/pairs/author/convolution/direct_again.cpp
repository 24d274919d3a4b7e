#include <cstdint>
extern "C" void run(const float* x, const float* w, float* y, int64_t C, int64_t L, int64_t K) {
#pragma omp parallel for
  for (int64_t c = 0; c < C; ++c)
    for (int64_t i = 0; i < L - K + 1; ++i) {
      float s = 0.0f;
      for (int64_t k = 0; k < K; ++k) s += w[c * K + k] * x[c * L + i + k];
      y[c * (L - K + 1) + i] = s;
    }
}
