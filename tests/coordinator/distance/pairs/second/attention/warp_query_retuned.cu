#include <cuda_runtime.h>
#include <stdint.h>

// Four queries in a block, each of them a warp's own. Everything in powers of two.
#define QUERIES 4
#define WIDTH 64
#define PAIR(pointer, index) reinterpret_cast<const float2*>(pointer)[index]

struct Running {
  float top = -3.0e38f;
  float mass = 0.f;
  float2 row = {0.f, 0.f};

  __device__ __forceinline__ void add(float logit, float2 value) {
    const float previous = top;
    top = logit > previous ? logit : previous;
    const float p = exp2f(logit - top), c = exp2f(previous - top);
    row.y = fmaf(row.y, c, p * value.y);
    row.x = fmaf(row.x, c, p * value.x);
    mass = fmaf(mass, c, p);
  }
};

extern "C" __global__ void __launch_bounds__(32 * QUERIES)
streaming_attention(float* __restrict__ result, const float* __restrict__ queries, const float* __restrict__ keys,
                    const float* __restrict__ values, int64_t length) {
  const int64_t index = int64_t(blockIdx.y) * QUERIES + threadIdx.y;
  if (index >= length) return;
  const int64_t head = int64_t(blockIdx.x) * length * WIDTH;
  float2 query = PAIR(queries + head + index * WIDTH, threadIdx.x);
  query.x *= 0.125f * 1.44269504f;
  query.y *= 0.125f * 1.44269504f;

  Running state;
#pragma unroll 2
  for (int64_t at = head; at < head + length * WIDTH; at += WIDTH) {
    const float2 key = PAIR(keys + at, threadIdx.x);
    float logit = fmaf(query.x, key.x, query.y * key.y);
#pragma unroll
    for (int step = 1; step <= 16; step <<= 1) logit += __shfl_xor_sync(~0u, logit, step);
    state.add(logit, PAIR(values + at, threadIdx.x));
  }
  const float inverse = 1.f / state.mass;
  reinterpret_cast<float2*>(result + head + index * WIDTH)[threadIdx.x] =
      make_float2(state.row.x * inverse, state.row.y * inverse);
}
