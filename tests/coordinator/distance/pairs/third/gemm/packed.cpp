#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

// C = A @ B: B is packed into panels of 16 columns first, 4 x 16 of C stay in registers.
extern "C" void run(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
  constexpr int64_t MR = 4, NR = 16;
  const int64_t panels = (N + NR - 1) / NR;
  std::vector<float> packed(panels * K * NR, 0.0f);
#pragma omp parallel for
  for (int64_t p = 0; p < panels; ++p)
    for (int64_t k = 0; k < K; ++k) {
      const int64_t width = std::min(NR, N - p * NR);
      std::memcpy(&packed[(p * K + k) * NR], B + k * N + p * NR, width * sizeof(float));
    }
#pragma omp parallel for collapse(2) schedule(static)
  for (int64_t p = 0; p < panels; ++p)
    for (int64_t i0 = 0; i0 < M; i0 += MR) {
      float acc[MR][NR] = {};
      const int64_t height = std::min(MR, M - i0), width = std::min(NR, N - p * NR);
      const float* b = &packed[p * K * NR];
      for (int64_t k = 0; k < K; ++k, b += NR)
        for (int64_t r = 0; r < height; ++r) {
          const float a = A[(i0 + r) * K + k];
#pragma omp simd
          for (int64_t j = 0; j < NR; ++j) acc[r][j] += a * b[j];
        }
      for (int64_t r = 0; r < height; ++r)
        for (int64_t j = 0; j < width; ++j) C[(i0 + r) * N + p * NR + j] = acc[r][j];
    }
}
