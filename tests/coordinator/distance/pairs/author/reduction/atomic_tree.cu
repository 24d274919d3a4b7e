extern "C" __global__ void clear(float* y) { *y = 0.f; }
struct Sink {
  float* target;
  __device__ ~Sink() {}
  __device__ void pour(float v) const { atomicAdd(target, v); }
};
template <int T> __device__ float squeeze(float v) {
  __shared__ float tree[T];
  tree[threadIdx.x] = v;
  __syncthreads();
#pragma unroll
  for (int h = T / 2; h >= 32; h /= 2) {
    if (threadIdx.x < h) tree[threadIdx.x] = tree[threadIdx.x] + tree[threadIdx.x + h];
    __syncthreads();
  }
  v = tree[threadIdx.x & 31];
  v += __shfl_xor_sync(~0u, v, 16);
  v += __shfl_xor_sync(~0u, v, 8);
  v += __shfl_xor_sync(~0u, v, 4);
  v += __shfl_xor_sync(~0u, v, 2);
  v += __shfl_xor_sync(~0u, v, 1);
  return v;
}
extern "C" __global__ void __launch_bounds__(256) add_sums(const float* __restrict__ data, float* __restrict__ out, int n) {
  const float4* wide = reinterpret_cast<const float4*>(data);
  float acc = 0.f;
  int i = blockIdx.x * 256 + threadIdx.x;
  const int step = 256 * gridDim.x;
  while (i < n / 4) {
    const float4 v = wide[i];
    acc += (v.x + v.y) + (v.z + v.w);
    i += step;
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) acc += data[n - 1 - threadIdx.x];
  acc = squeeze<256>(acc);
  if (threadIdx.x == 0) Sink{out}.pour(acc);
}
