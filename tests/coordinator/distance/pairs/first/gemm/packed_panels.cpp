#include <algorithm>
#include <cstdint>
#include <vector>

constexpr int64_t MR = 4, NR = 16;

// b is copied into panels of NR columns first; 4 x 16 sums stay in registers over the whole depth.
extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  const int64_t panels = (N + NR - 1) / NR;
  std::vector<float> packed(panels * K * NR, 0.0f);
  for (int64_t p = 0; p < panels; ++p)
    for (int64_t k = 0; k < K; ++k)
      for (int64_t j = 0; j < std::min(NR, N - p * NR); ++j)
        packed[(p * K + k) * NR + j] = b[k * N + p * NR + j];
  for (int64_t p = 0; p < panels; ++p) {
    for (int64_t i = 0; i < M; i += MR) {
      const int64_t rows = std::min(MR, M - i);
      float sums[MR][NR] = {};
      for (int64_t k = 0; k < K; ++k) {
        const float* panel = packed.data() + (p * K + k) * NR;
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t j = 0; j < NR; ++j) sums[r][j] += a[(i + r) * K + k] * panel[j];
      }
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t j = 0; j < std::min(NR, N - p * NR); ++j) c[(i + r) * N + p * NR + j] = sums[r][j];
    }
  }
}
