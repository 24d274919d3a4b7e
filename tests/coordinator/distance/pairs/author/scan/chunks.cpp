#include <algorithm>
#include <cstdint>
#include <omp.h>
#include <vector>

// Inclusive prefix sums of each row: the team splits every row, sums its chunks, then scans them.
extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  const int64_t team = omp_get_max_threads();
  const int64_t chunk = (N + team - 1) / team;
  std::vector<float> sums(team + 1);
  for (int64_t r = 0; r < M; ++r) {
    const float* in = x + r * N;
    float* out = y + r * N;
#pragma omp parallel for schedule(static)
    for (int64_t t = 0; t < team; ++t) {
      float sum = 0.0f;
      for (int64_t i = t * chunk; i < std::min(N, (t + 1) * chunk); ++i) sum += in[i];
      sums[t + 1] = sum;
    }
    sums[0] = 0.0f;
    for (int64_t t = 0; t < team; ++t) sums[t + 1] += sums[t];
#pragma omp parallel for schedule(static)
    for (int64_t t = 0; t < team; ++t) {
      float sum = sums[t];
      for (int64_t i = t * chunk; i < std::min(N, (t + 1) * chunk); ++i) {
        sum += in[i];
        out[i] = sum;
      }
    }
  }
}
