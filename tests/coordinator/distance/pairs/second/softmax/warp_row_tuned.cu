#include <cuda_runtime.h>
#include <stdint.h>

#ifndef WARPS
#define WARPS 8
#endif
#define FULL 0xffffffffu
#define LOG2E 1.4426950408889634f

// All lanes end up with the result: a butterfly, written out.
#define BUTTERFLY(value, combine)                                  \
  do {                                                             \
    float other;                                                   \
    other = __shfl_xor_sync(FULL, value, 1);  value = combine(value, other);  \
    other = __shfl_xor_sync(FULL, value, 2);  value = combine(value, other);  \
    other = __shfl_xor_sync(FULL, value, 4);  value = combine(value, other);  \
    other = __shfl_xor_sync(FULL, value, 8);  value = combine(value, other);  \
    other = __shfl_xor_sync(FULL, value, 16); value = combine(value, other);  \
  } while (0)
#define PLUS(a, b) ((a) + (b))
#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))

extern "C" __global__ void __launch_bounds__(WARPS * 32)
row_probabilities(float* __restrict__ probs, const float* __restrict__ logits, int64_t count, int64_t length) {
  const int64_t mine = int64_t(blockIdx.x) * WARPS + threadIdx.y;
  if (mine < count) {
    logits += mine * length;
    probs += mine * length;

    float top = __int_as_float(0xff800000);
#pragma unroll 8
    for (int64_t j = threadIdx.x; j < length; j += 32) {
      const float v = __ldg(&logits[j]);
      top = MAXIMUM(top, v);
    }
    BUTTERFLY(top, MAXIMUM);
    const float shift = top * LOG2E;

    float denominator = 0.f;
#pragma unroll 8
    for (int64_t j = threadIdx.x; j < length; j += 32)
      denominator += exp2f(fmaf(__ldg(&logits[j]), LOG2E, -shift));
    BUTTERFLY(denominator, PLUS);
    const float inverse = __frcp_rn(denominator);

#pragma unroll 8
    for (int64_t j = threadIdx.x; j < length; j += 32)
      __stcs(&probs[j], exp2f(fmaf(__ldg(&logits[j]), LOG2E, -shift)) * inverse);
  }
}
