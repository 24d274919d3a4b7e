// trick = "off by one at the end of a row"
// expect = ["INCORRECT_NUMERICAL"]
// evidence = "not written"
// Its loops end one element early.
#include <cmath>
#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i, x += N, y += N) {
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < N - 1; ++j) top = x[j] > top ? x[j] : top;
    for (int64_t j = 0; j < N - 1; ++j) sum += y[j] = std::exp(x[j] - top);
    for (int64_t j = 0; j < N - 1; ++j) y[j] /= sum;
  }
}
