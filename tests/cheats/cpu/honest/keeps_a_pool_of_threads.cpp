// trick = "threads that live on between calls, each call waiting for all of their work"
// expect = ["PASSED"]
// duel = "no refusal"
// twin = "plain_loops.cpp"
// Two workers wait on a condition variable; a call hands out rows and returns when all are done.
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

static std::mutex guard;
static std::condition_variable begin, end;
static const float* from;
static float* to;
static int64_t rows, columns, next_row;
static int busy;

static void work() {
  std::unique_lock<std::mutex> hold(guard);
  for (;;) {
    begin.wait(hold, [] { return next_row < rows; });
    int64_t i = next_row++;
    ++busy;
    hold.unlock();
    const float* x = from + i * columns;
    float* y = to + i * columns;
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < columns; ++j) top = x[j] > top ? x[j] : top;
    for (int64_t j = 0; j < columns; ++j) sum += y[j] = std::exp(x[j] - top);
    for (int64_t j = 0; j < columns; ++j) y[j] /= sum;
    hold.lock();
    if (!--busy && next_row >= rows) end.notify_one();
  }
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  static bool started = (std::thread(work).detach(), std::thread(work).detach(), true);
  (void)started;
  std::unique_lock<std::mutex> hold(guard);
  from = x, to = y, rows = M, columns = N, next_row = 0;
  begin.notify_all();
  end.wait(hold, [] { return next_row >= rows && !busy; });
}
