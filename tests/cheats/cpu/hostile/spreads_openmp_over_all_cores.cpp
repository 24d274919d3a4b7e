// trick = "B5 uncounted-thread"
// caught = "by construction"
// expect = ["PASSED"]
// duel = "no gain"
// twin = "plain_loops.cpp"
// OpenMP's own threads, joined as they should be, after the pin to one core is undone.
#include <cmath>
#include <cstdint>
#include <sched.h>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  static bool spread = [] {
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int i = 0; i < 1024; ++i) CPU_SET(i, &all);
    return sched_setaffinity(0, sizeof all, &all) == 0;
  }();
  (void)spread;
#pragma omp parallel for num_threads(2) schedule(static)
  for (int64_t i = 0; i < M; ++i) {
    const float* from = x + i * N;
    float* to = y + i * N;
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < N; ++j) top = from[j] > top ? from[j] : top;
    for (int64_t j = 0; j < N; ++j) sum += to[j] = std::exp(from[j] - top);
    for (int64_t j = 0; j < N; ++j) to[j] /= sum;
  }
}
