#include <cstdint>
#include <cstring>
#include <memory>
struct Panel {
  static constexpr int64_t kDepth = 64, kWide = 512;
  std::unique_ptr<float[]> cells{new float[kDepth * kWide]};
  int64_t deep = 0, wide = 0;
  void gather(const float* b, int64_t pitch, int64_t rows, int64_t cols) {
    deep = rows; wide = cols;
    for (int64_t r = 0; r < rows; ++r) std::memcpy(cells.get() + r * kWide, b + r * pitch, sizeof(float) * cols);
  }
  const float* row(int64_t r) const { return cells.get() + r * kWide; }
};
static void update(float* __restrict__ c, const float* a, const Panel& panel) {
  for (int64_t d = 0; d < panel.deep; ++d) {
    const float s = a[d];
    const float* __restrict__ p = panel.row(d);
    for (int64_t j = 0; j < panel.wide; ++j) c[j] = __builtin_fmaf(s, p[j], c[j]);
  }
}
extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  std::memset(c, 0, M * N * sizeof(float));
#pragma omp parallel
  {
    Panel panel;
#pragma omp for
    for (int64_t j = 0; j < N; j += Panel::kWide)
      for (int64_t d = 0; d < K; d += Panel::kDepth) {
        panel.gather(b + d * N + j, N, K - d < Panel::kDepth ? K - d : Panel::kDepth, N - j < Panel::kWide ? N - j : Panel::kWide);
        for (int64_t block = 0; block < M; block += 32)
          for (int64_t i = block; i < M && i < block + 32; ++i) update(c + i * N + j, a + i * K + d, panel);
      }
  }
}
