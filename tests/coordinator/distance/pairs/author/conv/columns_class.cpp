#include <algorithm>
#include <cstdint>
#include <cstdlib>
struct Geometry { int64_t c, h, w, o, p, q; int64_t oh() const { return h - p + 1; } int64_t ow() const { return w - q + 1; } };
static void lower(const Geometry& g, const float* image, float* patches) {
  const int64_t area = g.oh() * g.ow();
#pragma omp parallel for
  for (int64_t tap = 0; tap < g.c * g.p * g.q; ++tap) {
    const int64_t channel = tap / (g.p * g.q), dy = tap / g.q % g.p, dx = tap % g.q;
    for (int64_t i = 0; i < g.oh(); ++i)
      for (int64_t j = 0; j < g.ow(); ++j)
        patches[tap * area + i * g.ow() + j] = image[(channel * g.h + i + dy) * g.w + j + dx];
  }
}
static void multiply(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
#pragma omp parallel for
  for (int64_t i = 0; i < m; ++i) {
    float* line = c + i * n;
    std::fill(line, line + n, 0.f);
    int64_t d = 0;
    for (; d + 1 < k; d += 2) {
      const float s = a[i * k + d], t = a[i * k + d + 1];
      for (int64_t j = 0; j < n; ++j) line[j] += s * b[d * n + j] + t * b[(d + 1) * n + j];
    }
    for (; d < k; ++d) for (int64_t j = 0; j < n; ++j) line[j] += a[i * k + d] * b[d * n + j];
  }
}
extern "C" void run(const float* x, const float* w, float* y, int64_t C, int64_t H, int64_t W, int64_t O, int64_t P, int64_t Q) {
  const Geometry g{C, H, W, O, P, Q};
  float* patches = (float*)std::malloc(sizeof(float) * C * P * Q * g.oh() * g.ow());
  lower(g, x, patches);
  multiply(w, patches, y, O, g.oh() * g.ow(), C * P * Q);
  std::free(patches);
}
