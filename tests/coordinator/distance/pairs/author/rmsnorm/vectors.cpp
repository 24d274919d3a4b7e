#include <immintrin.h>
#include <cstdint>
extern "C" void run(const float* x, const float* w, float* y, int64_t T, int64_t D) {
  #pragma omp parallel for
  for (int64_t t = 0; t < T; ++t) {
    __m256 s = _mm256_setzero_ps();
    for (int64_t d = 0; d < D; d += 8) { __m256 v = _mm256_loadu_ps(x + t * D + d); s = _mm256_fmadd_ps(v, v, s); }
    float part[8]; _mm256_storeu_ps(part, s);
    float total = 0; for (int i = 0; i < 8; ++i) total += part[i];
    __m256 f = _mm256_set1_ps(1.0f / __builtin_sqrtf(total / D + 1e-6f));
    for (int64_t d = 0; d < D; d += 8) _mm256_storeu_ps(y + t * D + d, _mm256_mul_ps(_mm256_mul_ps(_mm256_loadu_ps(x + t * D + d), f), _mm256_loadu_ps(w + d)));
  }
}
