#include <cuda_runtime.h>
template <int N> struct Slice {
  float4 v[N];
  __device__ float load(const float4* p, int quads) {
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const int at = i * 256 + threadIdx.x;
      v[i] = at < quads ? __ldg(p + at) : make_float4(0.f, 0.f, 0.f, 0.f);
      s = fmaf(v[i].x, v[i].x, fmaf(v[i].y, v[i].y, fmaf(v[i].z, v[i].z, fmaf(v[i].w, v[i].w, s))));
    }
    return s;
  }
  __device__ void store(float4* p, const float4* g, float f, int quads) const {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const int at = i * 256 + threadIdx.x;
      if (at >= quads) break;
      const float4 w = __ldg(g + at);
      __stcs(p + at, make_float4(v[i].x * f * w.x, v[i].y * f * w.y, v[i].z * f * w.z, v[i].w * f * w.w));
    }
  }
};
__device__ float whole_block(float s) {
  __shared__ float board[8];
  __shared__ float total;
  for (int m = 1; m < 32; m += m) s += __shfl_xor_sync(~0u, s, m);
  if ((threadIdx.x & 31) == 0) board[threadIdx.x >> 5] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    float t = 0.f;
    for (float b : board) t += b;
    total = t;
  }
  __syncthreads();
  return total;
}
extern "C" __global__ void __launch_bounds__(256) rmsnorm(const float4* __restrict__ x, const float4* __restrict__ g, float4* __restrict__ y, int quads) {
  Slice<4> slice;
  const size_t at = (size_t)blockIdx.x * quads;
  const float squares = whole_block(slice.load(x + at, quads));
  slice.store(y + at, g, 1.f / sqrtf(squares / (4.f * quads) + 1e-6f), quads);
}
