// out = softmax(q k^T / sqrt(D)) v: all scores of a query are kept, as in the formula.
#include <cmath>
#include <cstdint>
#include <vector>

static float dot(const float* a, const float* b, int64_t n) {
  float sum = 0.0f;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

extern "C" void run(const float* q, const float* k, const float* v, float* out, int64_t H, int64_t S, int64_t D) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(D));
  #pragma omp parallel for collapse(2)
  for (int64_t h = 0; h < H; ++h) {
    for (int64_t s = 0; s < S; ++s) {
      const float* query = q + (h * S + s) * D;
      float* to = out + (h * S + s) * D;
      std::vector<float> scores(S);
      float highest = -INFINITY;
      for (int64_t t = 0; t < S; ++t) {
        scores[t] = dot(query, k + (h * S + t) * D, D) * scale;
        highest = std::fmax(highest, scores[t]);
      }
      float sum = 0.0f;
      for (int64_t t = 0; t < S; ++t) {
        scores[t] = std::exp(scores[t] - highest);
        sum += scores[t];
      }
      for (int64_t d = 0; d < D; ++d) to[d] = 0.0f;
      for (int64_t t = 0; t < S; ++t)
        for (int64_t d = 0; d < D; ++d) to[d] += scores[t] / sum * v[(h * S + t) * D + d];
    }
  }
}
