// Idea: hand each row to a vendor's vector mathematics library, one call per row.
// Predicted: tuned by experts, so hard to beat.
#include <mkl_vml.h>

#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t m = 0; m < M; ++m) {
    vsExp(static_cast<int>(N), x + m * N, y + m * N);
    float sum = 0;
    for (int64_t i = 0; i < N; ++i) sum += y[m * N + i];
    for (int64_t i = 0; i < N; ++i) y[m * N + i] /= sum;
  }
}
