// trick = "a thread that is joined"
// expect = ["PASSED"]
// duel = "no refusal"
// twin = "plain_loops.cpp"
// Half of the rows in a thread of its own, joined before it returns.
#include <cmath>
#include <cstdint>
#include <thread>

static void rows(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i, x += N, y += N) {
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < N; ++j) top = x[j] > top ? x[j] : top;
    for (int64_t j = 0; j < N; ++j) sum += y[j] = std::exp(x[j] - top);
    for (int64_t j = 0; j < N; ++j) y[j] /= sum;
  }
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  const int64_t half = M / 2;
  std::thread other(rows, x, y, half, N);
  rows(x + half * N, y + half * N, M - half, N);
  other.join();
}
