// trick = "OpenMP"
// expect = ["PASSED"]
// duel = "no refusal"
// twin = "plain_loops.cpp"
// Rows in parallel, elements in vectors.
#include <cmath>
#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
#pragma omp parallel for
  for (int64_t i = 0; i < M; ++i) {
    const float* in = x + i * N;
    float* out = y + i * N;
    float top = -INFINITY, sum = 0;
#pragma omp simd reduction(max : top)
    for (int64_t j = 0; j < N; ++j) top = in[j] > top ? in[j] : top;
    for (int64_t j = 0; j < N; ++j) sum += out[j] = std::exp(in[j] - top);
#pragma omp simd
    for (int64_t j = 0; j < N; ++j) out[j] /= sum;
  }
}
