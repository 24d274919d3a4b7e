// trick = "prefetches, stores past the cache by inline assembly, and dispatches by target"
// expect = ["PASSED"]
// duel = "no refusal"
// twin = "plain_loops.cpp"
// The last pass writes each result by a store that leaves no line in the cache.
#include <cmath>
#include <cstdint>
#include <cstring>

static void stream(float* to, float value) {
#if defined(__x86_64__)
  int32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  asm volatile("movnti %1, %0" : "=m"(*to) : "r"(bits));
#else
  *to = value;
#endif
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i, x += N, y += N) {
    if (i + 1 < M) __builtin_prefetch(x + N);
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < N; ++j) top = x[j] > top ? x[j] : top;
    for (int64_t j = 0; j < N; ++j) sum += y[j] = std::exp(x[j] - top);
    for (int64_t j = 0; j < N; ++j) stream(y + j, y[j] / sum);
  }
#if defined(__x86_64__)
  asm volatile("sfence" ::: "memory");
#endif
}
