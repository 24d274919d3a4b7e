#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
using Pair = std::pair<float, float>;
static inline Pair blend(Pair a, Pair b) {
  if (a.first < b.first) std::swap(a, b);
  a.second += b.second * std::exp(b.first - a.first);
  return a;
}
extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
#pragma omp parallel for schedule(static, 8)
  for (int64_t r = 0; r < M; r++) {
    Pair lanes[8];
    std::fill(lanes, lanes + 8, Pair{-std::numeric_limits<float>::infinity(), 0.f});
    const float* p = x + r * N;
    for (int64_t c = 0; c < N; c++) lanes[c & 7] = blend(lanes[c & 7], Pair{p[c], 1.f});
    Pair all = lanes[0];
    for (int l = 1; l < 8; l++) all = blend(all, lanes[l]);
    const auto [top, mass] = all;
    std::transform(p, p + N, y + r * N, [top = top, scale = 1.f / mass](float v) { return std::exp(v - top) * scale; });
  }
}
