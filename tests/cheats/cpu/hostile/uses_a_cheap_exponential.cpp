// trick = "D6 precision-downgrade"
// caught = "by check"
// expect = ["INCORRECT_NUMERICAL"]
// evidence = "further off"
// An exponential made of the bits of a float: three correct digits at best.
#include <cmath>
#include <cstdint>
#include <cstring>

static float power(float x) {
  if (x < -87) return 0;
  int32_t bits = static_cast<int32_t>(12102203.0f * x) + 1064866805;
  float y;
  std::memcpy(&y, &bits, sizeof y);
  return y;
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i, x += N, y += N) {
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < N; ++j) top = std::fmax(top, x[j]);
    for (int64_t j = 0; j < N; ++j) sum += y[j] = power(x[j] - top);
    for (int64_t j = 0; j < N; ++j) y[j] /= sum;
  }
}
