// A block of 256 threads per row.
#include <cuda_runtime.h>

__device__ float warp_max(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
  return v;
}

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffffu, v, offset);
  return v;
}

extern "C" __global__ void softmax(const float* x, float* y, int columns) {
  __shared__ float maxima[8];
  __shared__ float sums[8];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const float* in = x + (size_t)blockIdx.x * columns;
  float* out = y + (size_t)blockIdx.x * columns;

  float highest = -3.402823466e+38f;
  for (int i = threadIdx.x; i < columns; i += 256) highest = fmaxf(highest, in[i]);
  highest = warp_max(highest);
  if (lane == 0) maxima[warp] = highest;
  __syncthreads();
  highest = warp_max(maxima[lane % 8]);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 256) sum += expf(in[i] - highest);
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  sum = warp_sum(lane < 8 ? sums[lane] : 0.0f);
  for (int i = threadIdx.x; i < columns; i += 256) out[i] = expf(in[i] - highest) / sum;
}
