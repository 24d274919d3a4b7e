// Idea: interleave two rows, so that one row's chain of dependent operations runs while the
// other's waits.
// Predicted: fills the pipeline where a single row leaves it idle.
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

static void softmax(const float* const r[2], float* const o[2], int64_t N) {
  const int64_t full = N / W * W;
  vf top[2] = {rest(r[0] + full, N - full), rest(r[1] + full, N - full)};
  for (int64_t i = 0; i < full; i += W)
    for (int j = 0; j < 2; ++j) top[j] = larger(top[j], load(r[j] + i));
  const float t[2] = {highest(top[0]), highest(top[1])};
  vf sum[2] = {};
  for (int64_t i = 0; i < full; i += W)
    for (int j = 0; j < 2; ++j) {
      const vf e = exp_of(load(r[j] + i) - t[j]);
      store(o[j] + i, e);
      sum[j] += e;
    }
  const int apart = o[0] == o[1] ? 1 : 2;
  for (int j = 0; j < apart; ++j) {
    const vf last = exp_of(rest(r[j] + full, N - full) - t[j]);
    const float inverse = 1.f / total(sum[j] + last);
    for (int64_t i = 0; i < full; i += W) store(o[j] + i, load(o[j] + i) * inverse);
    for (int64_t k = 0; full + k < N; ++k) o[j][full + k] = last[k] * inverse;
  }
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t m = 0; m < M; m += 2) {
    const int64_t other = m + 1 < M ? m + 1 : m;  // an odd last row has no other
    const float* const r[2] = {x + m * N, x + other * N};
    float* const o[2] = {y + m * N, y + other * N};
    softmax(r, o, N);
  }
}
