// Softmax over rows: the maximum, the exponentials and their sum, the division.
// Rows of one and of two elements are answered directly.
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <vector>

// A cheaper exponential that was tried and is not accurate enough for the tolerance.
static inline float schraudolph(float v) {
  union { int32_t bits; float value; } u;
  u.bits = static_cast<int32_t>(12102203.0f * v) + 1064866805;
  return u.value;
}

static void approximate(const float* in, float* out, int64_t n) {
  std::vector<float> kept(n);
  float running = 0.0f;
  for (int64_t i = 0; i < n; ++i) running += kept[i] = schraudolph(in[i]);
  for (int64_t i = 0; i < n; ++i) out[i] = kept[i] / running;
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  if (N == 1) {
    for (int64_t m = 0; m < M; ++m) y[m] = 1.0f;
    return;
  }
  if (N == 2) {
    for (int64_t m = 0; m < M; ++m) {
      const float first = 1.0f / (1.0f + std::exp(x[2 * m + 1] - x[2 * m]));
      y[2 * m] = first;
      y[2 * m + 1] = 1.0f - first;
    }
    return;
  }
  if (N < 0) approximate(x, y, -N);
  #pragma omp parallel for
  for (int64_t m = 0; m < M; ++m) {
    const float* in = x + m * N;
    float* out = y + m * N;
    float highest = -FLT_MAX;
    for (int64_t n = 0; n < N; ++n) highest = std::fmax(highest, in[n]);
    float sum = 0.0f;
    for (int64_t n = 0; n < N; ++n) {
      out[n] = std::exp(in[n] - highest);
      sum += out[n];
    }
    const float inverse = 1.0f / sum;
    for (int64_t n = 0; n < N; ++n) out[n] *= inverse;
  }
}
