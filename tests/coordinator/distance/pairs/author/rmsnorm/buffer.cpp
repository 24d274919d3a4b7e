#include <cmath>
#include <cstdint>
extern "C" void run(const float* x, const float* r, const float* w, float* y, int64_t T, int64_t D) {
  #pragma omp parallel for
  for (int64_t t = 0; t < T; ++t) {
    float buf[8192];
    float s = 0;
    for (int64_t d = 0; d < D; ++d) { buf[d] = x[t * D + d] + r[t * D + d]; s += buf[d] * buf[d]; }
    s = 1 / std::sqrt(s / D + 1e-6f);
    for (int64_t d = 0; d < D; ++d) y[t * D + d] = buf[d] * s * w[d];
  }
}
