#include <cmath>
#include <cstdint>

// Mean and variance in one sweep of Welford's recurrence over eight lanes, then the output.
extern "C" void run(const float* x, const float* weight, const float* bias, float* y, int64_t M, int64_t N) {
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < M; ++r) {
    const float* in = x + r * N;
    float* out = y + r * N;
    float mean[8] = {}, squares[8] = {};
    int64_t count = 0, i = 0;
    for (; i + 8 <= N; i += 8) {
      ++count;
      const float inv = 1.0f / count;
#pragma omp simd
      for (int l = 0; l < 8; ++l) {
        const float d = in[i + l] - mean[l];
        mean[l] += d * inv;
        squares[l] += d * (in[i + l] - mean[l]);
      }
    }
    float m = mean[0], s = squares[0], n = count;
    for (int l = 1; l < 8 && count > 0; ++l) {
      const float d = mean[l] - m, total = n + count;
      m += d * count / total;
      s += squares[l] + d * d * n * count / total;
      n = total;
    }
    for (; i < N; ++i) {
      n += 1.0f;
      const float d = in[i] - m;
      m += d / n;
      s += d * (in[i] - m);
    }
    const float rstd = 1.0f / std::sqrt(s / N + 1e-5f);
#pragma omp simd
    for (int64_t i = 0; i < N; ++i) out[i] = (in[i] - m) * rstd * weight[i] + bias[i];
  }
}
