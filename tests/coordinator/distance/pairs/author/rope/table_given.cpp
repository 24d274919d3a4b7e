#include <cmath>
#include <cstdint>
extern "C" void run(const float* x, const float* c, const float* s, float* y, int64_t T, int64_t H, int64_t D) {
  int64_t t, h, i;
  #pragma omp parallel for private(h, i)
  for (t = 0; t < T; ++t)
    for (h = 0; h < H; ++h)
      for (i = 0; i < D / 2; ++i) {
        const float* p = x + (t * H + h) * D;
        float* q = y + (t * H + h) * D;
        q[i] = p[i] * c[t * D / 2 + i] - p[i + D / 2] * s[t * D / 2 + i];
        q[i + D / 2] = p[i + D / 2] * c[t * D / 2 + i] + p[i] * s[t * D / 2 + i];
      }
}
