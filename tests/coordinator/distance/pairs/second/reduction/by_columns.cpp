// y[n] = sum over m of x[m, n]: a column at a time.
#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t n = 0; n < N; ++n) {
    float sum = 0.0f;
    for (int64_t m = 0; m < M; ++m) sum += x[m * N + n];
    y[n] = sum;
  }
}
