// Idea: three plain loops over each row with the C library's scalar exponential, as a textbook
// writes it.
// Predicted: correct and slow; the scalar exponential dominates.
#include <cmath>
#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t m = 0; m < M; ++m) {
    const float* r = x + m * N;
    float* o = y + m * N;
    float top = r[0];
    for (int64_t i = 1; i < N; ++i) top = r[i] > top ? r[i] : top;
    float sum = 0;
    for (int64_t i = 0; i < N; ++i) sum += o[i] = std::exp(r[i] - top);
    for (int64_t i = 0; i < N; ++i) o[i] /= sum;
  }
}
