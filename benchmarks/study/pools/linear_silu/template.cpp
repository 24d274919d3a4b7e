#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

constexpr int64_t W = $width;   // values of a vector
constexpr int64_t T = $tile;    // rows of x at once
constexpr int64_t U = $unroll;  // vectors at once
typedef float vf __attribute__((vector_size(4 * W), aligned(4), may_alias));

static inline vf load(const float* p) { return *(const vf*)p; }
static inline float total(vf v) {
  float s = 0;
  for (int64_t k = 0; k < W; ++k) s += v[k];
  return s;
}
static inline float up(uint16_t h) {
  const uint32_t bits = (uint32_t)h << 16;
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
static inline uint16_t down(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
$silu
$epilogue
$layout
