#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;

static __device__ __forceinline__ void all_warps(float& mine, float (&board)[kWarps]) {
#pragma unroll
  for (int d = 1; d <= 16; d <<= 1) mine += __shfl_xor_sync(~0u, mine, d);
  if ((threadIdx.x & 31) == 0) board[threadIdx.x >> 5] = mine;
  __syncthreads();
  mine = board[0];
#pragma unroll
  for (int w = 1; w < kWarps; w++) mine += board[w];
}

extern "C" __global__ void __launch_bounds__(kThreads, 2)
normalise(float* __restrict__ result, const float* __restrict__ source, const float* __restrict__ gamma,
          const float* __restrict__ beta, int64_t columns) {
  extern __shared__ __align__(16) float cache[];
  __shared__ float board_mean[kWarps], board_variance[kWarps];
  source += blockIdx.x * columns;
  result += blockIdx.x * columns;

  float mean = 0.f;
  int64_t c = threadIdx.x;
#pragma unroll 4
  while (c < columns) {
    const float v = __ldcs(source + c);
    mean += v;
    cache[c] = v;
    c += kThreads;
  }
  all_warps(mean, board_mean);
  mean /= columns;

  float variance = 0.f;
#pragma unroll 4
  for (c = threadIdx.x; c < columns; c += kThreads) variance = fmaf(cache[c] - mean, cache[c] - mean, variance);
  all_warps(variance, board_variance);
  const float inverse = 1.f / sqrtf(variance / columns + 1e-5f);

#pragma unroll 4
  for (c = threadIdx.x; c < columns; c += kThreads) {
    const float scale = inverse * __ldg(gamma + c);
    result[c] = fmaf(cache[c] - mean, scale, __ldg(beta + c));
  }
}
