// Rotary embedding of halves; the position of a token is its index.
#include <cmath>
#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t T, int64_t H, int64_t D) {
  const int64_t half = D / 2;
  #pragma omp parallel for
  for (int64_t t = 0; t < T; ++t) {
    for (int64_t h = 0; h < H; ++h) {
      const float* in = x + (t * H + h) * D;
      float* out = y + (t * H + h) * D;
      for (int64_t i = 0; i < half; ++i) {
        const float angle = t * std::pow(10000.0f, -2.0f * i / D);
        const float c = std::cos(angle), s = std::sin(angle);
        out[i] = in[i] * c - in[i + half] * s;
        out[i + half] = in[i + half] * c + in[i] * s;
      }
    }
  }
}
