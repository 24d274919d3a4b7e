#include <cstdint>

#if defined(__AVX512F__)
constexpr int64_t WIDTH = 16;
#elif defined(__AVX__)
constexpr int64_t WIDTH = 8;
#else
constexpr int64_t WIDTH = 4;
#endif
typedef float lanes __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));
typedef int32_t bits __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));

static inline lanes fetch(const float* p) { return *(const lanes*)p; }
static inline void put(float* p, lanes v) { *(lanes*)p = v; }
static inline lanes upper(lanes a, lanes b) { return a > b ? a : b; }

static inline float added(lanes v)
{
  float s = 0;
  for (int64_t k = 0; k < WIDTH; ++k) s += v[k];
  return s;
}
static inline lanes remainder(const float* p, int64_t n)
{
  lanes v = lanes{} - 3e38f;
  for (int64_t k = 0; k < n; ++k) v[k] = p[k];
  return v;
}

static inline float peak(lanes v)
{
  float row = v[0];
  for (int64_t k = 1; k < WIDTH; ++k) row = v[k] > row ? v[k] : row;
  return row;
}
static inline lanes power(lanes t)
{
  const lanes z = upper(t * 1.44269504f, lanes{} - 126.f);
  const lanes k = z + 12582912.f;  // 1.5 * 2^23: the low bits of k hold n
  const lanes f = z - (k - 12582912.f);
  lanes p = f * 1.32764725e-3f + 9.67554189e-3f;
  p = p * f + 5.55071309e-2f;
  p = p * f + 2.40221202e-1f;
  p = p * f + 6.93146944e-1f;
  p = p * f + 1.f;
  return (lanes)((bits)p + ((bits)k << 23));
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N)
{
  const int64_t whole = N / WIDTH * WIDTH;
  for (int64_t row = 0; row < M; ++row)
{
    const float* in_row = x + row * N;
    float* out_row = y + row * N;
    lanes u0 = lanes{} - 3e38f, u1 = u0, u2 = u0, u3 = u0;
    int64_t at = 0;
    for (; at + 4 * WIDTH <= whole; at += 4 * WIDTH)
{
      u0 = upper(u0, fetch(in_row + at + 0 * WIDTH));
      u1 = upper(u1, fetch(in_row + at + 1 * WIDTH));
      u2 = upper(u2, fetch(in_row + at + 2 * WIDTH));
      u3 = upper(u3, fetch(in_row + at + 3 * WIDTH));
    }
    for (; at < whole; at += WIDTH) u0 = upper(u0, fetch(in_row + at));
    u0 = upper(upper(upper(u0, u1), upper(u2, u3)), remainder(in_row + at, N - at));
    const float ceiling = peak(u0);
    lanes t0 = {}, t1 = {};
    for (at = 0; at + 2 * WIDTH <= whole; at += 2 * WIDTH)
{
      const lanes e0 = power(fetch(in_row + at + 0 * WIDTH) - ceiling);
      const lanes e1 = power(fetch(in_row + at + 1 * WIDTH) - ceiling);
      put(out_row + at + 0 * WIDTH, e0);
      put(out_row + at + 1 * WIDTH, e1);
      t0 += e0;
      t1 += e1;
    }
    for (; at < whole; at += WIDTH)
{
      const lanes e = power(fetch(in_row + at) - ceiling);
      put(out_row + at, e);
      t0 += e;
    }
    // the last few
    const lanes last = power(remainder(in_row + at, N - at) - ceiling);
    for (int64_t k = 0; at + k < N; ++k) out_row[at + k] = last[k];
    const float sum = added(t0 + t1 + last);
    const float factor = 1.f / sum;
    for (at = 0; at < whole; at += WIDTH) put(out_row + at, fetch(out_row + at) * factor);
    for (; at < N; ++at) out_row[at] *= factor;
  }
}
