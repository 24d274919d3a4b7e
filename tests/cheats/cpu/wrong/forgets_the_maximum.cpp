// trick = "no maximum subtracted"
// expect = ["INCORRECT_NUMERICAL"]
// evidence = "NaN or infinite|further off"
// Overflows where the logits are large.
#include <cmath>
#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i, x += N, y += N) {
    float sum = 0;
    for (int64_t j = 0; j < N; ++j) sum += y[j] = std::exp(x[j]);
    for (int64_t j = 0; j < N; ++j) y[j] /= sum;
  }
}
