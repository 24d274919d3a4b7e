#include <cmath>
#include <cfloat>
extern "C" void run(const float* x, float* y, long M, long N) {
  #pragma omp parallel for
  for (long m = 0; m < M; ++m) {
    const float* in = x + m * N; float* out = y + m * N;
    float hi = -FLT_MAX;
    for (long n = 0; n < N; ++n) if (in[n] > hi) hi = in[n];
    for (long n = 0; n < N; ++n) out[n] = std::exp(in[n] - hi);
    float s = 0;
    for (long n = 0; n < N; ++n) s += out[n];
    for (long n = 0; n < N; ++n) out[n] /= s;
  }
}
