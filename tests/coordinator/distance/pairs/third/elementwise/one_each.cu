// y = silu(gate) * up, four elements per thread.
__device__ __forceinline__ float silu(float v) { return v / (1.0f + __expf(-v)); }

extern "C" __global__ void silu_mul(const float4* __restrict__ gate, const float4* __restrict__ up,
                                    float4* __restrict__ y, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  const float4 g = gate[i];
  const float4 u = up[i];
  float4 o;
  o.x = silu(g.x) * u.x;
  o.y = silu(g.y) * u.y;
  o.z = silu(g.z) * u.z;
  o.w = silu(g.w) * u.w;
  y[i] = o;
}
