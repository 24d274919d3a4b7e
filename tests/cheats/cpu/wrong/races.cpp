// trick = "two threads add to one sum"
// expect = ["INCORRECT_NUMERICAL"]
// evidence = "further off"
// Reads the sum, lets the other thread run, and writes the sum: additions are lost.
#include <cmath>
#include <cstdint>
#include <thread>

static volatile float sum;

static void add(const float* x, int64_t from, int64_t to, float top) {
  for (int64_t j = from; j < to; ++j) {
    const float seen = sum;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    sum = seen + std::exp(x[j] - top);
  }
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i, x += N, y += N) {
    float top = -INFINITY;
    for (int64_t j = 0; j < N; ++j) top = x[j] > top ? x[j] : top;
    sum = 0;
    std::thread other(add, x, 0, N / 2, top);
    add(x, N / 2, N, top);
    other.join();
    for (int64_t j = 0; j < N; ++j) y[j] = std::exp(x[j] - top) / sum;
  }
}
