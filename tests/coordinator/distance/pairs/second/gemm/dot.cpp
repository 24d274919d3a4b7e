// C = A B: every element is one dot product of a row and a column.
#include <cstdint>

extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  #pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0.0f;
      for (int64_t k = 0; k < K; ++k) sum += a[i * K + k] * b[k * N + j];
      c[i * N + j] = sum;
    }
  }
}
