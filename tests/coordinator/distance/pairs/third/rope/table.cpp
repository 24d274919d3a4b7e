#include <cmath>
#include <cstdint>
#include <vector>

// x: [T, H, D]; the halves of each head are rotated; cosines and sines of all positions come first.
extern "C" void run(const float* x, float* y, int64_t T, int64_t H, int64_t D) {
  const int64_t half = D / 2;
  std::vector<float> cosines(T * half), sines(T * half);
#pragma omp parallel for
  for (int64_t t = 0; t < T; ++t)
    for (int64_t d = 0; d < half; ++d) {
      const float angle = t * std::pow(10000.0f, -2.0f * d / D);
      cosines[t * half + d] = std::cos(angle);
      sines[t * half + d] = std::sin(angle);
    }
#pragma omp parallel for collapse(2)
  for (int64_t t = 0; t < T; ++t)
    for (int64_t h = 0; h < H; ++h) {
      const float* in = x + (t * H + h) * D;
      float* out = y + (t * H + h) * D;
      const float* c = &cosines[t * half];
      const float* s = &sines[t * half];
      for (int64_t d = 0; d < half; ++d) {
        out[d] = in[d] * c[d] - in[d + half] * s[d];
        out[d + half] = in[d + half] * c[d] + in[d] * s[d];
      }
    }
}
