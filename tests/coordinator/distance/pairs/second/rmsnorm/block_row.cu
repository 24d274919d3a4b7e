// One block per row; the row is read twice.
#include <cuda_runtime.h>

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffffu, v, offset);
  return v;
}

extern "C" __global__ void rmsnorm(const float* x, const float* weight, float* y, int width) {
  __shared__ float partial[32];
  const float* row = x + (size_t)blockIdx.x * width;
  float* out = y + (size_t)blockIdx.x * width;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) squares += row[i] * row[i];
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
  for (int i = threadIdx.x; i < width; i += blockDim.x) out[i] = row[i] * factor * weight[i];
}
