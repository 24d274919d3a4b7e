#include <algorithm>
#include <cstdint>
extern "C" void run(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
  constexpr int64_t T = 32;
  for (int64_t i = 0; i < M * N; ++i) C[i] = 0.0f;
  for (int64_t i0 = 0; i0 < M; i0 += T)
    for (int64_t p0 = 0; p0 < K; p0 += T)
      for (int64_t j0 = 0; j0 < N; j0 += T)
        for (int64_t i = i0; i < std::min(M, i0 + T); ++i)
          for (int64_t p = p0; p < std::min(K, p0 + T); ++p)
            for (int64_t j = j0; j < std::min(N, j0 + T); ++j) C[i * N + j] += A[i * K + p] * B[p * N + j];
}
