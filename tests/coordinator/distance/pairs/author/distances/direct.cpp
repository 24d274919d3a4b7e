#include <cstdint>
extern "C" void run(const float* x, const float* y, float* d, int64_t M, int64_t N, int64_t K) {
#pragma omp parallel for
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      float s = 0.0f;
      for (int64_t k = 0; k < K; ++k) {
        const float t = x[i * K + k] - y[j * K + k];
        s += t * t;
      }
      d[i * N + j] = s;
    }
}
