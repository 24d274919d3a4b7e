#include <algorithm>
#include <cstdint>
#include <cstring>

// C = A @ B, blocked in all three dimensions, B read in place.
extern "C" void run(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
  constexpr int64_t TM = 64, TN = 256, TK = 64;
  std::memset(C, 0, sizeof(float) * M * N);
#pragma omp parallel for collapse(2) schedule(static)
  for (int64_t i0 = 0; i0 < M; i0 += TM)
    for (int64_t j0 = 0; j0 < N; j0 += TN)
      for (int64_t k0 = 0; k0 < K; k0 += TK) {
        const int64_t i1 = std::min(i0 + TM, M), j1 = std::min(j0 + TN, N), k1 = std::min(k0 + TK, K);
        for (int64_t i = i0; i < i1; ++i)
          for (int64_t k = k0; k < k1; ++k) {
            const float a = A[i * K + k];
            const float* b = B + k * N;
            float* c = C + i * N;
#pragma omp simd
            for (int64_t j = j0; j < j1; ++j) c[j] += a * b[j];
          }
      }
}
