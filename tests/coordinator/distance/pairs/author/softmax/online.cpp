// Softmax over rows: the maximum and the sum in one pass, the results in another.
#include <cfloat>
#include <cmath>
#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  #pragma omp parallel for
  for (int64_t m = 0; m < M; ++m) {
    const float* in = x + m * N;
    float* out = y + m * N;
    float highest = -FLT_MAX;
    float sum = 0.0f;
    for (int64_t n = 0; n < N; ++n) {
      const float next = std::fmax(highest, in[n]);
      sum = sum * std::exp(highest - next) + std::exp(in[n] - next);
      highest = next;
    }
    const float inverse = 1.0f / sum;
    for (int64_t n = 0; n < N; ++n) out[n] = std::exp(in[n] - highest) * inverse;
  }
}
