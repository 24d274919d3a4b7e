#include <cmath>
#include <cstdint>

// x: [T, H, D]; the halves of each head are rotated; angles are computed where they are needed.
extern "C" void run(const float* x, float* y, int64_t T, int64_t H, int64_t D) {
  const int64_t half = D / 2;
#pragma omp parallel for collapse(2)
  for (int64_t t = 0; t < T; ++t)
    for (int64_t h = 0; h < H; ++h) {
      const float* in = x + (t * H + h) * D;
      float* out = y + (t * H + h) * D;
      for (int64_t d = 0; d < half; ++d) {
        const float angle = t * std::pow(10000.0f, -2.0f * d / D);
        const float c = std::cos(angle), s = std::sin(angle);
        out[d] = in[d] * c - in[d + half] * s;
        out[d + half] = in[d + half] * c + in[d] * s;
      }
    }
}
