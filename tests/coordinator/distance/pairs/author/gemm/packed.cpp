#include <algorithm>
#include <cstdint>

constexpr int64_t ROWS = 64, COLUMNS = 256, DEPTH = 128;

extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  std::fill(c, c + M * N, 0.0f);
  #pragma omp parallel for schedule(static)
  for (int64_t j0 = 0; j0 < N; j0 += COLUMNS) {
    const int64_t j1 = std::min(j0 + COLUMNS, N);
    alignas(64) float panel[DEPTH * COLUMNS];
    for (int64_t k0 = 0; k0 < K; k0 += DEPTH) {
      const int64_t k1 = std::min(k0 + DEPTH, K);
      // The panel of B is copied together once, and then serves all rows of A.
      for (int64_t k = k0; k < k1; ++k)
        for (int64_t j = j0; j < j1; ++j) panel[(k - k0) * COLUMNS + j - j0] = b[k * N + j];
      for (int64_t i0 = 0; i0 < M; i0 += ROWS) {
        const int64_t i1 = std::min(i0 + ROWS, M);
        for (int64_t i = i0; i < i1; ++i) {
          for (int64_t k = k0; k < k1; ++k) {
            const float factor = a[i * K + k];
            #pragma omp simd
            for (int64_t j = j0; j < j1; ++j) c[i * N + j] += factor * panel[(k - k0) * COLUMNS + j - j0];
          }
        }
      }
    }
  }
}
