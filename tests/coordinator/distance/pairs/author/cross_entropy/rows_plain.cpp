#include <cmath>
#include <cstdint>
extern "C" void run(const float* logits, const int64_t* target, float* loss, int64_t M, int64_t N) {
#pragma omp parallel for
  for (int64_t r = 0; r < M; ++r) {
    const float* row = logits + r * N;
    float top = row[0];
    for (int64_t i = 1; i < N; ++i) top = std::fmax(top, row[i]);
    float sum = 0.0f;
    for (int64_t i = 0; i < N; ++i) sum += std::exp(row[i] - top);
    loss[r] = top + std::log(sum) - row[target[r]];
  }
}
