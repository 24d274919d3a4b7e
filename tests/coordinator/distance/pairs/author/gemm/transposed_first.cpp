#include <cstdint>
#include <vector>

// b is transposed into scratch memory, so that both operands of every dot product lie in a row.
extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  std::vector<float> turned(N * K);
  for (int64_t k = 0; k < K; ++k)
    for (int64_t j = 0; j < N; ++j) turned[j * K + k] = b[k * N + j];
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < K; ++k) sum += a[i * K + k] * turned[j * K + k];
      c[i * N + j] = sum;
    }
  }
}
