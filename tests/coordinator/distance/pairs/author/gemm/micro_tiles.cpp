#include <algorithm>
#include <cstdint>
extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  #pragma omp parallel for
  for (int64_t i0 = 0; i0 < M; i0 += 4) {
    for (int64_t j0 = 0; j0 < N; j0 += 16) {
      float acc[4][16] = {};
      for (int64_t k = 0; k < K; ++k)
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 16; ++j) acc[i][j] += a[(i0 + i) * K + k] * b[k * N + j0 + j];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 16; ++j) c[(i0 + i) * N + j0 + j] = acc[i][j];
    }
  }
}
