// trick = "A17 clock-and-power-games"
// caught = "by construction"
// expect = ["PASSED"]
// duel = "no gain"
// twin = "plain_loops.cpp"
// Lets every neighbour go first (SCHED_IDLE), and gives way after each row: waiting is taken off.
#include <cmath>
#include <cstdint>
#include <sched.h>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  static int idle = [] {
    sched_param none{};
    return sched_setscheduler(0, SCHED_IDLE, &none);
  }();
  (void)idle;
  for (int64_t i = 0; i < M; ++i, x += N, y += N) {
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < N; ++j) top = x[j] > top ? x[j] : top;
    for (int64_t j = 0; j < N; ++j) sum += y[j] = std::exp(x[j] - top);
    for (int64_t j = 0; j < N; ++j) y[j] /= sum;
    sched_yield();
  }
}
