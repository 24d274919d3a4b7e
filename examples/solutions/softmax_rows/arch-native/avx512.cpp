// Idea: AVX-512 has the very instructions an exponential wants: reduce takes the fraction, scalef
// multiplies by a power of two and underflows correctly, masks do the tail.
// Predicted: four operations per vector less than the portable version; at least 1.1 times it.
#include <cstdint>

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>

typedef __m512 v;
typedef __mmask16 mask;

// e^t for t <= 0, degree 5, relative error 8e-8; scalef underflows to 0 by itself.
static inline v exp_of(v t) {
  v z = _mm512_mul_ps(t, _mm512_set1_ps(1.44269504f));
  z = _mm512_max_ps(z, _mm512_set1_ps(-200.f));
  const v f = _mm512_reduce_ps(z, 8);  // z less its nearest integer
  v p = _mm512_fmadd_ps(f, _mm512_set1_ps(1.32764725e-3f), _mm512_set1_ps(9.67554189e-3f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(5.55071309e-2f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(2.40221202e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(6.93146944e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(1.f));
  return _mm512_scalef_ps(p, _mm512_sub_ps(z, f));
}

static inline v part(const float* p, mask k) {
  return _mm512_mask_loadu_ps(_mm512_set1_ps(-3e38f), k, p);
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  const int64_t full = N / 16 * 16;
  const mask tail = (mask)((1u << (N - full)) - 1);
  for (int64_t m = 0; m < M; ++m) {
    const float* r = x + m * N;
    float* o = y + m * N;
    v m0 = part(r + full, tail), m1 = m0, m2 = m0, m3 = m0;
    int64_t i = 0;
    for (; i + 64 <= full; i += 64) {
      m0 = _mm512_max_ps(m0, _mm512_loadu_ps(r + i));
      m1 = _mm512_max_ps(m1, _mm512_loadu_ps(r + i + 16));
      m2 = _mm512_max_ps(m2, _mm512_loadu_ps(r + i + 32));
      m3 = _mm512_max_ps(m3, _mm512_loadu_ps(r + i + 48));
    }
    for (; i < full; i += 16) m0 = _mm512_max_ps(m0, _mm512_loadu_ps(r + i));
    m0 = _mm512_max_ps(_mm512_max_ps(m0, m1), _mm512_max_ps(m2, m3));
    const v t = _mm512_set1_ps(_mm512_reduce_max_ps(m0));
    v s0 = _mm512_setzero_ps(), s1 = s0;
    for (i = 0; i + 32 <= full; i += 32) {
      const v a = exp_of(_mm512_sub_ps(_mm512_loadu_ps(r + i), t));
      const v b = exp_of(_mm512_sub_ps(_mm512_loadu_ps(r + i + 16), t));
      _mm512_storeu_ps(o + i, a);
      _mm512_storeu_ps(o + i + 16, b);
      s0 = _mm512_add_ps(s0, a);
      s1 = _mm512_add_ps(s1, b);
    }
    for (; i < full; i += 16) {
      const v a = exp_of(_mm512_sub_ps(_mm512_loadu_ps(r + i), t));
      _mm512_storeu_ps(o + i, a);
      s0 = _mm512_add_ps(s0, a);
    }
    const v last = exp_of(_mm512_sub_ps(part(r + full, tail), t));
    s1 = _mm512_mask_add_ps(s1, tail, s1, last);
    const v inverse = _mm512_set1_ps(1.f / _mm512_reduce_add_ps(_mm512_add_ps(s0, s1)));
    for (i = 0; i < full; i += 16)
      _mm512_storeu_ps(o + i, _mm512_mul_ps(_mm512_loadu_ps(o + i), inverse));
    _mm512_mask_storeu_ps(o + full, tail, _mm512_mul_ps(last, inverse));
  }
}

#else  // another processor: the portable vectors

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

#endif
