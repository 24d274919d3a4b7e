#include <cstdint>
#include <vector>
extern "C" void run(const float* x, const float* w, float* y, int64_t C, int64_t L, int64_t K) {
  #pragma omp parallel for
  for (int64_t c = 0; c < C; ++c)
    for (int64_t l = 0; l < L - K + 1; ++l) {
      float s = 0;
      for (int64_t k = 0; k < K; ++k) s += x[c * L + l + k] * w[c * K + k];
      y[c * (L - K + 1) + l] = s;
    }
}
