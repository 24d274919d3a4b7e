// y = gelu(x) + residual, four elements for each thread. The size is a multiple of 4.
#include <cuda_runtime.h>

__device__ float gelu(float v) {
  return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

extern "C" __global__ void gelu_add(const float4* x, const float4* residual, float4* y, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  const float4 v = x[i];
  const float4 r = residual[i];
  y[i] = make_float4(gelu(v.x) + r.x, gelu(v.y) + r.y, gelu(v.z) + r.z, gelu(v.w) + r.w);
}
