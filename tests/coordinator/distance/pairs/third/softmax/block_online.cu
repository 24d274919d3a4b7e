// One block per row: running maximum and sum in one sweep, then write.
#include <cfloat>

__device__ void merge(float& m, float& s, float m2, float s2) {
  const float top = fmaxf(m, m2);
  s = s * __expf(m - top) + s2 * __expf(m2 - top);
  m = top;
}

__device__ void warpMerge(float& m, float& s) {
  for (int o = 16; o > 0; o >>= 1) {
    const float m2 = __shfl_xor_sync(0xffffffff, m, o);
    const float s2 = __shfl_xor_sync(0xffffffff, s, o);
    merge(m, s, m2, s2);
  }
}

extern "C" __global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float tops[32], sums[32];
  const float* in = x + size_t(blockIdx.x) * cols;
  float* out = y + size_t(blockIdx.x) * cols;
  float m = -FLT_MAX, s = 0.0f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) merge(m, s, in[i], 1.0f);
  warpMerge(m, s);
  if ((threadIdx.x & 31) == 0) { tops[threadIdx.x >> 5] = m; sums[threadIdx.x >> 5] = s; }
  __syncthreads();
  const int lane = threadIdx.x & 31;
  m = lane < (blockDim.x >> 5) ? tops[lane] : -FLT_MAX;
  s = lane < (blockDim.x >> 5) ? sums[lane] : 0.0f;
  warpMerge(m, s);
  const float inv = 1.0f / s;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) out[i] = __expf(in[i] - m) * inv;
}
