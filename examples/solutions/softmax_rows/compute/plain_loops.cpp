// Idea: write the polynomial as plain loops over floats and leave the vectors to the compiler.
// Predicted: the same machine code from a third of the source.
#include <cstdint>
#include <cstring>

// e^t for t <= 0: 2^z = 2^n * 2^f with |f| <= 1/2, degree 5.
static inline float exp_of(float t) {
  const float z = t * 1.44269504f > -126.f ? t * 1.44269504f : -126.f;
  const float k = z + 12582912.f;
  const float f = z - (k - 12582912.f);
  float p = f * 1.32764725e-3f + 9.67554189e-3f;
  p = p * f + 5.55071309e-2f;
  p = p * f + 2.40221202e-1f;
  p = p * f + 6.93146944e-1f;
  p = p * f + 1.f;
  uint32_t n, bits;
  std::memcpy(&n, &k, 4);
  std::memcpy(&bits, &p, 4);
  bits += n << 23;
  std::memcpy(&p, &bits, 4);
  return p;
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t m = 0; m < M; ++m) {
    const float* r = x + m * N;
    float* o = y + m * N;
    float top = r[0];
    for (int64_t i = 1; i < N; ++i) top = r[i] > top ? r[i] : top;
    for (int64_t i = 0; i < N; ++i) o[i] = exp_of(r[i] - top);
    float sum = 0;
    for (int64_t i = 0; i < N; ++i) sum += o[i];
    const float inverse = 1.f / sum;
    for (int64_t i = 0; i < N; ++i) o[i] *= inverse;
  }
}
