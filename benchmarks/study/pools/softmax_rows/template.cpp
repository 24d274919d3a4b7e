#include <cmath>
#include <cstdint>
#include <vector>
$includes
constexpr int64_t W = $width;   // values of a vector
constexpr int64_t U = $unroll;  // independent chains
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
static inline vf part(const float* p, int64_t n) {
  vf v = vf{} - 1e30f;
  for (int64_t k = 0; k < n; ++k) v[k] = p[k];
  return v;
}
static inline void store_part(float* p, vf v, int64_t n) {
  for (int64_t k = 0; k < n; ++k) p[k] = v[k];
}
$put
$exponential
$algorithm
