// A warp per row, four rows in a block.
#include <cuda_runtime.h>

__device__ float warp_max(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
  return v;
}

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffffu, v, offset);
  return v;
}

extern "C" __global__ void softmax(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* in = x + (size_t)row * columns;
  float* out = y + (size_t)row * columns;

  float highest = -3.402823466e+38f;
  for (int i = lane; i < columns; i += 32) highest = fmaxf(highest, in[i]);
  highest = warp_max(highest);
  float sum = 0.0f;
  for (int i = lane; i < columns; i += 32) sum += expf(in[i] - highest);
  sum = warp_sum(sum);
  for (int i = lane; i < columns; i += 32) out[i] = expf(in[i] - highest) / sum;
}
