// y = silu(gate) * up: resident blocks walk over tiles that cp.async brings into a ring of three stages.
#include <cuda_pipeline.h>
#define STAGES 3
#define THREADS 256

__device__ __forceinline__ float silu(float v) { return v / (1.0f + __expf(-v)); }

extern "C" __global__ void silu_mul(const float4* __restrict__ gate, const float4* __restrict__ up,
                                    float4* __restrict__ y, int quads) {
  __shared__ float4 g[STAGES][THREADS];
  __shared__ float4 u[STAGES][THREADS];
  const int tiles = (quads + THREADS - 1) / THREADS;
  int ahead = blockIdx.x;
  for (int s = 0; s < STAGES - 1; ++s, ahead += gridDim.x) {
    const int i = ahead * THREADS + threadIdx.x;
    if (ahead < tiles && i < quads) {
      __pipeline_memcpy_async(&g[s][threadIdx.x], gate + i, 16);
      __pipeline_memcpy_async(&u[s][threadIdx.x], up + i, 16);
    }
    __pipeline_commit();
  }
  int stage = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, ahead += gridDim.x) {
    const int next = (stage + STAGES - 1) % STAGES;
    const int i = ahead * THREADS + threadIdx.x;
    if (ahead < tiles && i < quads) {
      __pipeline_memcpy_async(&g[next][threadIdx.x], gate + i, 16);
      __pipeline_memcpy_async(&u[next][threadIdx.x], up + i, 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(STAGES - 1);
    const int j = tile * THREADS + threadIdx.x;
    if (j < quads) {
      const float4 a = g[stage][threadIdx.x], b = u[stage][threadIdx.x];
      y[j] = make_float4(silu(a.x) * b.x, silu(a.y) * b.y, silu(a.z) * b.z, silu(a.w) * b.w);
    }
    stage = (stage + 1) % STAGES;
  }
}
