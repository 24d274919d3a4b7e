// out = softmax(q k^T / sqrt(D)) v: keys stream by, and the output is rescaled as the maximum grows.
#include <cmath>
#include <cstdint>

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
      for (int64_t d = 0; d < D; ++d) to[d] = 0.0f;
      float highest = -INFINITY;
      float sum = 0.0f;
      for (int64_t t = 0; t < S; ++t) {
        const float score = dot(query, k + (h * S + t) * D, D) * scale;
        const float next = std::fmax(highest, score);
        const float shrink = std::exp(highest - next);
        const float weight = std::exp(score - next);
        sum = sum * shrink + weight;
        for (int64_t d = 0; d < D; ++d) to[d] = to[d] * shrink + weight * v[(h * S + t) * D + d];
        highest = next;
      }
      for (int64_t d = 0; d < D; ++d) to[d] /= sum;
    }
  }
}
