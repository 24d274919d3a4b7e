// A block per row, which copies its row into shared memory once and works there.
#include <cuda_runtime.h>

__device__ float block_sum(float v, float* slots) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
  __syncthreads();
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = v;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < blockDim.x / 32; ++w) total += slots[w];
  return total;
}

extern "C" __global__ void layernorm(const float* x, const float* weight, const float* bias, float* y, int width) {
  __shared__ float slots[32];
  extern __shared__ float row[];
  const float* in = x + (size_t)blockIdx.x * width;
  float* out = y + (size_t)blockIdx.x * width;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    row[i] = in[i];
    sum += row[i];
  }
  const float mean = block_sum(sum, slots) / width;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    const float centred = row[i] - mean;
    squares += centred * centred;
  }
  const float factor = rsqrtf(block_sum(squares, slots) / width + 1e-5f);
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[i] = (row[i] - mean) * factor * weight[i] + bias[i];
}
