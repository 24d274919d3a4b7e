// Sum of a vector: partial sums of blocks go to a workspace, a second kernel adds them.
__device__ float blockSum(float v) {
  __shared__ float s[32];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0.0f;
  if (threadIdx.x < 32)
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
  return v;
}

extern "C" __global__ void partial_sums(const float* __restrict__ x, float* __restrict__ partial, int n) {
  float v = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  v = blockSum(v);
  if (threadIdx.x == 0) partial[blockIdx.x] = v;
}

extern "C" __global__ void finish(const float* __restrict__ partial, float* __restrict__ y, int blocks) {
  float v = 0.0f;
  for (int i = threadIdx.x; i < blocks; i += blockDim.x) v += partial[i];
  v = blockSum(v);
  if (threadIdx.x == 0) y[0] = v;
}
