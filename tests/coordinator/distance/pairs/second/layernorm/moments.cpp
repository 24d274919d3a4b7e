#include <cmath>
#include <cstdint>

extern "C" void run(const float* x, const float* weight, const float* bias, float* y, int64_t T, int64_t D) {
  #pragma omp parallel for
  for (int64_t t = 0; t < T; ++t) {
    const float* row = x + t * D;
    float sum = 0.0f;
    float squares = 0.0f;
    #pragma omp simd reduction(+ : sum, squares)
    for (int64_t d = 0; d < D; ++d) {
      sum += row[d];
      squares += row[d] * row[d];
    }
    const float mean = sum / D;
    const float factor = 1.0f / std::sqrt(squares / D - mean * mean + 1e-5f);
    for (int64_t d = 0; d < D; ++d) y[t * D + d] = (row[d] - mean) * factor * weight[d] + bias[d];
  }
}
