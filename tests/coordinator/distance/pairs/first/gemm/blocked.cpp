#include <algorithm>
#include <cstdint>
#include <cstring>

constexpr int64_t BM = 64, BN = 256, BK = 128;

// Row updates within blocks that stay in the second-level cache.
extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  std::memset(c, 0, sizeof(float) * M * N);
  for (int64_t k0 = 0; k0 < K; k0 += BK) {
    for (int64_t j0 = 0; j0 < N; j0 += BN) {
      for (int64_t i0 = 0; i0 < M; i0 += BM) {
        for (int64_t i = i0; i < std::min(i0 + BM, M); ++i) {
          for (int64_t k = k0; k < std::min(k0 + BK, K); ++k) {
            const float factor = a[i * K + k];
            for (int64_t j = j0; j < std::min(j0 + BN, N); ++j) c[i * N + j] += factor * b[k * N + j];
          }
        }
      }
    }
  }
}
