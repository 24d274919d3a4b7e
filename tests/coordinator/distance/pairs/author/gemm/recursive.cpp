#include <cstdint>
static void multiply(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc) {
  if (m <= 32 && n <= 32 && k <= 32) {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t p = 0; p < k; ++p)
        for (int64_t j = 0; j < n; ++j) c[i * ldc + j] += a[i * lda + p] * b[p * ldb + j];
    return;
  }
  if (m >= n && m >= k) {
    multiply(a, b, c, m / 2, n, k, lda, ldb, ldc);
    multiply(a + m / 2 * lda, b, c + m / 2 * ldc, m - m / 2, n, k, lda, ldb, ldc);
  } else if (n >= k) {
    multiply(a, b, c, m, n / 2, k, lda, ldb, ldc);
    multiply(a, b + n / 2, c + n / 2, m, n - n / 2, k, lda, ldb, ldc);
  } else {
    multiply(a, b, c, m, n, k / 2, lda, ldb, ldc);
    multiply(a + k / 2, b + k / 2 * ldb, c, m, n, k - k / 2, lda, ldb, ldc);
  }
}
extern "C" void run(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
  for (int64_t i = 0; i < M * N; ++i) C[i] = 0.0f;
  multiply(A, B, C, M, N, K, K, N, N);
}
