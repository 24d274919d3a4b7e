// y = x^T, in tiles whose lines stay in the cache.
#include <algorithm>
#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  #pragma omp parallel for
  for (int64_t m0 = 0; m0 < M; m0 += 32) {
    for (int64_t n0 = 0; n0 < N; n0 += 32) {
      const int64_t m1 = std::min<int64_t>(m0 + 32, M);
      const int64_t n1 = std::min<int64_t>(n0 + 32, N);
      for (int64_t m = m0; m < m1; ++m) {
        for (int64_t n = n0; n < n1; ++n) y[n * M + m] = x[m * N + n];
      }
    }
  }
}
