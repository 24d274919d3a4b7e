// Idea: do the whole row in double precision and round once at the end.
// Predicted: exact to the last bit; half the lanes, so at least twice the time.
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  std::vector<double> e(N);
  for (int64_t m = 0; m < M; ++m) {
    const float* r = x + m * N;
    double top = r[0];
    for (int64_t i = 1; i < N; ++i) top = r[i] > top ? r[i] : top;
    double sum = 0;
    for (int64_t i = 0; i < N; ++i) sum += e[i] = std::exp(r[i] - top);
    for (int64_t i = 0; i < N; ++i) y[m * N + i] = static_cast<float>(e[i] / sum);
  }
}
