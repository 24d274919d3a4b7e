#include <array>
#include <cmath>
#include <cstdint>
struct Moments {
  float n = 0, mean = 0, m2 = 0;
  void push(float v) { n += 1; const float d = v - mean; mean += d / n; m2 = std::fma(d, v - mean, m2); }
  static Moments join(const Moments& a, const Moments& b) {
    Moments r;
    r.n = a.n + b.n;
    if (r.n == 0) return r;
    const float d = b.mean - a.mean;
    r.mean = a.mean + d * b.n / r.n;
    r.m2 = a.m2 + b.m2 + d * d * a.n * b.n / r.n;
    return r;
  }
};
extern "C" void run(const float* x, const float* gain, const float* shift, float* y, int64_t rows, int64_t width) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int64_t r = 0; r < rows; ++r, (void)0) {
    const float* p = x + r * width;
    std::array<Moments, 16> parts{};
    for (int64_t c = 0; c < width; ++c) parts[c % 16].push(p[c]);
    Moments all = parts[0];
    for (int k = 1; k < 16; ++k) all = Moments::join(all, parts[k]);
    const float scale = 1.f / std::sqrt(all.m2 / all.n + 1e-5f);
    float* q = y + r * width;
    int64_t c = width;
    while (c-- > 0) q[c] = gain[c] * ((p[c] - all.mean) * scale) + shift[c];
  }
}
