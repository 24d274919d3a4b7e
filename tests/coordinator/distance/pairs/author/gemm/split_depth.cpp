#include <algorithm>
#include <cstdint>
#include <cstring>
#include <omp.h>
#include <vector>

// C = A @ B for small M and N and long K: every thread takes a stretch of K, sums are added after.
extern "C" void run(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
  const int64_t workers = omp_get_max_threads();
  std::vector<float> partial(workers * M * N, 0.0f);
  const int64_t stretch = (K + workers - 1) / workers;
#pragma omp parallel for schedule(static)
  for (int64_t t = 0; t < workers; ++t) {
    float* mine = &partial[t * M * N];
    const int64_t k1 = std::min(K, (t + 1) * stretch);
    for (int64_t k = t * stretch; k < k1; ++k) {
      const float* b = B + k * N;
      for (int64_t i = 0; i < M; ++i) {
        const float a = A[i * K + k];
        float* c = mine + i * N;
#pragma omp simd
        for (int64_t j = 0; j < N; ++j) c[j] += a * b[j];
      }
    }
  }
#pragma omp parallel for schedule(static)
  for (int64_t e = 0; e < M * N; ++e) {
    float sum = 0.0f;
    for (int64_t t = 0; t < workers; ++t) sum += partial[t * M * N + e];
    C[e] = sum;
  }
}
