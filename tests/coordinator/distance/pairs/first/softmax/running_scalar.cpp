#include <cmath>
#include <cstdint>

// Maximum and sum in one sweep: the sum is scaled down whenever the maximum grows.
extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t m = 0; m < M; ++m) {
    const float* r = x + m * N;
    float* o = y + m * N;
    float top = r[0], sum = 0;
    for (int64_t i = 0; i < N; ++i) {
      const float grown = r[i] > top ? r[i] : top;
      sum = sum * std::exp(top - grown) + std::exp(r[i] - grown);
      top = grown;
    }
    for (int64_t i = 0; i < N; ++i) o[i] = std::exp(r[i] - top) / sum;
  }
}
