// One block per row; the row is read once and stays in registers. Rows of up to 4096.
#include <cuda_runtime.h>

#define KEPT 16

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffffu, v, offset);
  return v;
}

extern "C" __global__ void rmsnorm(const float* x, const float* weight, float* y, int width) {
  __shared__ float partial[32];
  const float* row = x + (size_t)blockIdx.x * width;
  float* out = y + (size_t)blockIdx.x * width;

  float kept[KEPT];
  float squares = 0.0f;
#pragma unroll
  for (int k = 0; k < KEPT; ++k) {
    const int i = threadIdx.x + k * blockDim.x;
    kept[k] = i < width ? row[i] : 0.0f;
    squares += kept[k] * kept[k];
  }
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = squares;
  __syncthreads();
  if (threadIdx.x < 32) {
    float v = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
    v = warp_sum(v);
    if (threadIdx.x == 0) partial[0] = v;
  }
  __syncthreads();

  const float factor = rsqrtf(partial[0] / width + 1e-6f);
#pragma unroll
  for (int k = 0; k < KEPT; ++k) {
    const int i = threadIdx.x + k * blockDim.x;
    if (i < width) out[i] = kept[k] * factor * weight[i];
  }
}
