#include <cstdint>
#include <cstring>

// Each row of c is a sum of multiples of the rows of b: everything is read in order.
extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  std::memset(c, 0, sizeof(float) * M * N);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t k = 0; k < K; ++k) {
      const float factor = a[i * K + k];
      for (int64_t j = 0; j < N; ++j) c[i * N + j] += factor * b[k * N + j];
    }
  }
}
