// Idea: while a row's maximum is sought, ask for the same place of the next row, so that its first
// pass finds it in the cache.
// Predicted: hides the memory's latency that the hardware's prefetcher leaves at each row's start.
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
    vf m0 = vf{} - 3e38f, m1 = m0, m2 = m0, m3 = m0;
    int64_t i = 0;
    for (; i + 4 * W <= full; i += 4 * W) {
      for (int64_t k = 0; k < 4; ++k) __builtin_prefetch(r + N + i + k * W);
      m0 = larger(m0, load(r + i + 0 * W));
      m1 = larger(m1, load(r + i + 1 * W));
      m2 = larger(m2, load(r + i + 2 * W));
      m3 = larger(m3, load(r + i + 3 * W));
    }
    for (; i < full; i += W) m0 = larger(m0, load(r + i));
    m0 = larger(larger(larger(m0, m1), larger(m2, m3)), rest(r + i, N - i));
    const float top = highest(m0);
    vf s0 = {}, s1 = {};
    for (i = 0; i + 2 * W <= full; i += 2 * W) {
      const vf e0 = exp_of(load(r + i + 0 * W) - top);
      const vf e1 = exp_of(load(r + i + 1 * W) - top);
      store(o + i + 0 * W, e0);
      store(o + i + 1 * W, e1);
      s0 += e0;
      s1 += e1;
    }
    for (; i < full; i += W) {
      const vf e = exp_of(load(r + i) - top);
      store(o + i, e);
      s0 += e;
    }
    const vf last = exp_of(rest(r + i, N - i) - top);
    for (int64_t k = 0; i + k < N; ++k) o[i + k] = last[k];
    const float sum = total(s0 + s1 + last);
    const float inverse = 1.f / sum;
    for (i = 0; i < full; i += W) store(o + i, load(o + i) * inverse);
    for (; i < N; ++i) o[i] *= inverse;
  }
}
