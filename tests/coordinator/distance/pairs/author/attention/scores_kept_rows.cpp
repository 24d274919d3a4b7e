#include <vector>
#include <cmath>
#include <cstdint>
extern "C" void run(const float* q, const float* k, const float* v, float* o, int64_t S, int64_t D) {
  #pragma omp parallel for
  for (int64_t i = 0; i < S; ++i) {
    std::vector<float> p(S);
    float m = -1e30f;
    for (int64_t j = 0; j < S; ++j) {
      float s = 0;
      for (int64_t d = 0; d < D; ++d) s += q[i * D + d] * k[j * D + d];
      p[j] = s / std::sqrt((float)D);
      m = std::fmax(m, p[j]);
    }
    float z = 0;
    for (int64_t j = 0; j < S; ++j) z += p[j] = std::exp(p[j] - m);
    for (int64_t d = 0; d < D; ++d) o[i * D + d] = 0;
    for (int64_t j = 0; j < S; ++j)
      for (int64_t d = 0; d < D; ++d) o[i * D + d] += p[j] / z * v[j * D + d];
  }
}
