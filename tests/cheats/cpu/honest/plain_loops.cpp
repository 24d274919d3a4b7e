// trick = "plain loops, no library"
// expect = ["PASSED"]
// twin = "plain_loops.cpp"
// duel = "no refusal"
// Three passes over each row.
#include <cmath>
#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i, x += N, y += N) {
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < N; ++j) top = x[j] > top ? x[j] : top;
    for (int64_t j = 0; j < N; ++j) sum += y[j] = std::exp(x[j] - top);
    for (int64_t j = 0; j < N; ++j) y[j] /= sum;
  }
}
