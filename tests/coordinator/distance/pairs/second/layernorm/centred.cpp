#include <cmath>
#include <cstdint>

extern "C" void run(const float* x, const float* weight, const float* bias, float* y, int64_t T, int64_t D) {
  #pragma omp parallel for
  for (int64_t t = 0; t < T; ++t) {
    const float* row = x + t * D;
    float sum = 0.0f;
    #pragma omp simd reduction(+ : sum)
    for (int64_t d = 0; d < D; ++d) sum += row[d];
    const float mean = sum / D;
    float squares = 0.0f;
    #pragma omp simd reduction(+ : squares)
    for (int64_t d = 0; d < D; ++d) {
      const float centred = row[d] - mean;
      squares += centred * centred;
    }
    const float factor = 1.0f / std::sqrt(squares / D + 1e-5f);
    for (int64_t d = 0; d < D; ++d) y[t * D + d] = (row[d] - mean) * factor * weight[d] + bias[d];
  }
}
