#include <cstdint>
#include <vector>
static std::vector<float> norms(const float* p, int64_t n, int64_t k) {
  std::vector<float> out(n);
  for (int64_t i = 0; i < n; ++i) {
    float s = 0.0f;
    for (int64_t d = 0; d < k; ++d) s += p[i * k + d] * p[i * k + d];
    out[i] = s;
  }
  return out;
}
extern "C" void run(const float* x, const float* y, float* d, int64_t M, int64_t N, int64_t K) {
  const auto a = norms(x, M, K), b = norms(y, N, K);
#pragma omp parallel for
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      float s = 0.0f;
      for (int64_t k = 0; k < K; ++k) s += x[i * K + k] * y[j * K + k];
      d[i * N + j] = a[i] + b[j] - 2.0f * s;
    }
}
