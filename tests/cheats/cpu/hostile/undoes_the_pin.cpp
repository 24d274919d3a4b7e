// trick = "F26 helper-hardware"
// caught = "by construction"
// expect = ["PASSED"]
// duel = "no gain"
// twin = "plain_loops.cpp"
// Undoes the pin to one core and lets a second thread do half of the rows on another core.
#include <cmath>
#include <atomic>
#include <cstdint>
#include <sched.h>
#include <thread>

struct Work { const float* x; float* y; int64_t from, to, N; };
static Work mail;
static std::atomic<int> state{0};

static void rows(Work w) {
  for (int64_t i = w.from; i < w.to; ++i) {
    const float* x = w.x + i * w.N;
    float* y = w.y + i * w.N;
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < w.N; ++j) top = x[j] > top ? x[j] : top;
    for (int64_t j = 0; j < w.N; ++j) sum += y[j] = std::exp(x[j] - top);
    for (int64_t j = 0; j < w.N; ++j) y[j] /= sum;
  }
}

static void spread() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int i = 0; i < 1024; ++i) CPU_SET(i, &all);
  sched_setaffinity(0, sizeof all, &all);
}

static void serve() {
  spread();
  for (;;) {
    while (state.load() != 1) std::this_thread::yield();
    rows(mail);
    state.store(2);
  }
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  static bool started = (spread(), std::thread(serve).detach(), true);
  (void)started;
  mail = {x, y, M / 2, M, N};
  state.store(1);
  rows({x, y, 0, M / 2, N});
  while (state.load() != 2) std::this_thread::yield();
  state.store(0);
}
