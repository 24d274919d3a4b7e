// Idea: online softmax: one pass keeps a running maximum and a running sum per lane, rescaling the
// sum when the maximum grows; a second pass writes the result.
// Predicted: one pass less over the row, at the price of a second exponential per element.
#include <cstdint>

#if defined(__AVX512F__)
constexpr int64_t W = 16;
#elif defined(__AVX__)
constexpr int64_t W = 8;
#else
constexpr int64_t W = 4;
#endif
typedef float vf __attribute__((vector_size(4 * W), aligned(4), may_alias));
typedef int32_t vi __attribute__((vector_size(4 * W), aligned(4), may_alias));

static inline vf load(const float* p) { return *(const vf*)p; }
static inline void store(float* p, vf v) { *(vf*)p = v; }
static inline vf larger(vf a, vf b) { return a > b ? a : b; }

// e^t for t <= 0: 2^z = 2^n * 2^f with |f| <= 1/2, degree 5, relative error 8e-8.
static inline vf exp_of(vf t) {
  const vf z = larger(t * 1.44269504f, vf{} - 126.f);
  const vf k = z + 12582912.f;  // 1.5 * 2^23: the low bits of k hold n
  const vf f = z - (k - 12582912.f);
  vf p = f * 1.32764725e-3f + 9.67554189e-3f;
  p = p * f + 5.55071309e-2f;
  p = p * f + 2.40221202e-1f;
  p = p * f + 6.93146944e-1f;
  p = p * f + 1.f;
  return (vf)((vi)p + ((vi)k << 23));
}

static inline float highest(vf v) {
  float m = v[0];
  for (int64_t k = 1; k < W; ++k) m = v[k] > m ? v[k] : m;
  return m;
}
static inline float total(vf v) {
  float s = 0;
  for (int64_t k = 0; k < W; ++k) s += v[k];
  return s;
}
// The last N % W values of a row, padded with values whose exponential is nothing.
static inline vf rest(const float* p, int64_t n) {
  vf v = vf{} - 3e38f;
  for (int64_t k = 0; k < n; ++k) v[k] = p[k];
  return v;
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  const int64_t full = N / W * W;
  for (int64_t m = 0; m < M; ++m) {
    const float* r = x + m * N;
    float* o = y + m * N;
    vf top = rest(r + full, N - full);
    vf sum = N > full ? exp_of(top - top) : vf{};
    for (int64_t k = N - full; N > full && k < W; ++k) sum[k] = 0.f;
    for (int64_t i = 0; i < full; i += W) {
      const vf v = load(r + i);
      const vf grown = larger(top, v);
      sum = sum * exp_of(top - grown) + exp_of(v - grown);
      top = grown;
    }
    const float highest_of_row = highest(top);
    const float inverse = 1.f / total(sum * exp_of(top - highest_of_row));
    for (int64_t i = 0; i < full; i += W)
      store(o + i, exp_of(load(r + i) - highest_of_row) * inverse);
    const vf last = exp_of(rest(r + full, N - full) - highest_of_row) * inverse;
    for (int64_t k = 0; full + k < N; ++k) o[full + k] = last[k];
  }
}
