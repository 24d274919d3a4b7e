// C = A B: every row of C is a sum of rows of B.
#include <cstdint>

extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  #pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) c[i * N + j] = 0.0f;
    for (int64_t k = 0; k < K; ++k) {
      const float factor = a[i * K + k];
      for (int64_t j = 0; j < N; ++j) c[i * N + j] += factor * b[k * N + j];
    }
  }
}
