#include <algorithm>
#include <cstdint>

constexpr int64_t ROWS = 64, COLUMNS = 256, DEPTH = 128;

extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  std::fill(c, c + M * N, 0.0f);
  #pragma omp parallel for collapse(2) schedule(static)
  for (int64_t i0 = 0; i0 < M; i0 += ROWS) {
    for (int64_t j0 = 0; j0 < N; j0 += COLUMNS) {
      const int64_t i1 = std::min(i0 + ROWS, M), j1 = std::min(j0 + COLUMNS, N);
      for (int64_t k0 = 0; k0 < K; k0 += DEPTH) {
        const int64_t k1 = std::min(k0 + DEPTH, K);
        for (int64_t i = i0; i < i1; ++i) {
          for (int64_t k = k0; k < k1; ++k) {
            const float factor = a[i * K + k];
            #pragma omp simd
            for (int64_t j = j0; j < j1; ++j) c[i * N + j] += factor * b[k * N + j];
          }
        }
      }
    }
  }
}
