#include <cuda_pipeline.h>
template <int DEPTH, int WIDTH> struct Ring {
  float4 (*left)[WIDTH];
  float4 (*right)[WIDTH];
  __device__ void request(int slot, const float4* a, const float4* b, bool live) {
    if (live) {
      __pipeline_memcpy_async(left[slot] + threadIdx.x, a, sizeof(float4));
      __pipeline_memcpy_async(right[slot] + threadIdx.x, b, sizeof(float4));
    }
    __pipeline_commit();
  }
};
__device__ __forceinline__ float gated(float g, float u) { return __fdividef(g, 1.f + exp2f(-1.44269504f * g)) * u; }
extern "C" __global__ void silu_mul(const float4* __restrict__ p, const float4* __restrict__ q, float4* __restrict__ out, int n) {
  __shared__ float4 a[4][128], b[4][128];
  Ring<4, 128> ring{a, b};
  const int stride = gridDim.x * 128;
  int ask = blockIdx.x * 128 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    ring.request(k, p + ask, q + ask, ask < n);
    ask += stride;
  }
  unsigned turn = 0;
  int give = blockIdx.x * 128 + threadIdx.x;
  while (give - threadIdx.x < n) {
    ring.request((turn + 3) & 3, p + ask, q + ask, ask < n);
    ask += stride;
    __pipeline_wait_prior(3);
    if (give < n) {
      const float4 g = a[turn & 3][threadIdx.x], u = b[turn & 3][threadIdx.x];
      float4 r;
      r.x = gated(g.x, u.x); r.y = gated(g.y, u.y); r.z = gated(g.z, u.z); r.w = gated(g.w, u.w);
      out[give] = r;
    }
    give += stride;
    ++turn;
  }
}
