// trick = "static memory in native code"
// expect = ["PASSED"]
// duel = "no refusal"
// twin = "plain_loops.cpp"
// One row of scratch memory in a static, written anew for every row.
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  static std::vector<double> row;
  row.resize(N);
  for (int64_t i = 0; i < M; ++i, x += N, y += N) {
    float top = -INFINITY;
    double sum = 0;
    for (int64_t j = 0; j < N; ++j) top = x[j] > top ? x[j] : top;
    for (int64_t j = 0; j < N; ++j) sum += row[j] = std::exp(static_cast<double>(x[j]) - top);
    for (int64_t j = 0; j < N; ++j) y[j] = static_cast<float>(row[j] / sum);
  }
}
