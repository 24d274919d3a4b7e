// Idea: scale one row while the maximum of the next is taken, so that the next row arrives from memory
// during work that needs none. The playbook cpu-vector leads here.
// Predicted: 1.15 to 1.3 times as fast as three passes, where rows come from memory.
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

// The last values of a row, padded with values whose exponential is nothing.
static inline vf rest(const float* p, int64_t count) {
  vf v = vf{} - 3e38f;
  for (int64_t k = 0; k < count; ++k) v[k] = p[k];
  return v;
}

static inline void store_rest(float* p, vf v, int64_t count) {
  for (int64_t k = 0; k < count; ++k) p[k] = v[k];
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>

static inline vf power(vf t) {
  const __m512 z = _mm512_max_ps((__m512)(t * 1.44269504f), _mm512_set1_ps(-200.f));
  const __m512 f = _mm512_reduce_ps(z, 8);
  vf p = (vf)f * 1.32764725e-3f + 9.67554189e-3f;
  p = p * (vf)f + 5.55071309e-2f;
  p = p * (vf)f + 2.40221202e-1f;
  p = p * (vf)f + 6.93146944e-1f;
  p = p * (vf)f + 1.f;
  return (vf)_mm512_scalef_ps((__m512)p, _mm512_sub_ps(z, f));
}

static inline vf tail_of(const float* p, int64_t count) {
  const __mmask16 mask = __mmask16((1u << count) - 1);
  return (vf)_mm512_mask_loadu_ps(_mm512_set1_ps(-3e38f), mask, p);
}

static inline void store_tail(float* p, vf v, int64_t count) {
  _mm512_mask_storeu_ps(p, __mmask16((1u << count) - 1), (__m512)v);
}

static inline float top_of(vf v) { return _mm512_reduce_max_ps((__m512)v); }
static inline float sum_of(vf v) { return _mm512_reduce_add_ps((__m512)v); }
#else
static inline vf power(vf t) {
  const vf z = larger(t * 1.44269504f, vf{} - 126.f);
  const vf shifted = z + 12582912.f;
  const vf f = z - (shifted - 12582912.f);
  vf p = f * 1.32764725e-3f + 9.67554189e-3f;
  p = p * f + 5.55071309e-2f;
  p = p * f + 2.40221202e-1f;
  p = p * f + 6.93146944e-1f;
  p = p * f + 1.f;
  return (vf)((vi)p + ((vi)shifted << 23));
}

static inline vf tail_of(const float* p, int64_t count) { return rest(p, count); }
static inline void store_tail(float* p, vf v, int64_t count) { store_rest(p, v, count); }
static inline float top_of(vf v) { return highest(v); }
static inline float sum_of(vf v) { return total(v); }
#endif

// The exponentials of a row, stored unscaled; their sum. `last` receives those of the remainder.
static inline float exponentials(const float* row, float* out, float top, int64_t N, vf& last) {
  const int64_t full = N / W * W;
  last = power(tail_of(row + full, N - full) - top);
  vf even = last, odd = {};
  int64_t i = 0;
  for (; i + 2 * W <= full; i += 2 * W) {
    const vf e = power(load(row + i) - top), f = power(load(row + i + W) - top);
    store(out + i, e);
    store(out + i + W, f);
    even += e;
    odd += f;
  }
  for (; i < full; i += W) {
    const vf e = power(load(row + i) - top);
    store(out + i, e);
    even += e;
  }
  return sum_of(even + odd);
}

static inline vf maximum(const float* row, int64_t N) {
  const int64_t full = N / W * W;
  vf best = tail_of(row + full, N - full);
  for (int64_t i = 0; i < full; i += W) best = larger(best, load(row + i));
  return best;
}

// Scale a row, and take the maximum of the next one.
static inline vf scaled(float* out, float inverse, const float* next, int64_t N) {
  const int64_t full = N / W * W;
  vf a = tail_of(next + full, N - full), b = a;
  int64_t i = 0;
  for (; i + 2 * W <= full; i += 2 * W) {
    a = larger(a, load(next + i));
    b = larger(b, load(next + i + W));
    store(out + i, load(out + i) * inverse);
    store(out + i + W, load(out + i + W) * inverse);
  }
  for (; i < full; i += W) {
    a = larger(a, load(next + i));
    store(out + i, load(out + i) * inverse);
  }
  return larger(a, b);
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  const int64_t full = N / W * W;
  vf best = maximum(x, N);
  for (int64_t m = 0; m < M; ++m) {
    float* out = y + m * N;
    vf last;
    const float inverse = 1.f / exponentials(x + m * N, out, top_of(best), N, last);
    // The last row has no next one: it is looked at again.
    best = scaled(out, inverse, x + (m + 1 < M ? m + 1 : m) * N, N);
    store_tail(out + full, last * inverse, N - full);
  }
}
