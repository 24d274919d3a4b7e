#include <torch/extension.h>
__device__ __forceinline__ float leaky(float v) { return fmaxf(v, 0.f) + 0.01f * fminf(v, 0.f); }
__global__ void g(const float4* __restrict__ in, float4* __restrict__ out, int64_t quads, const float* tail, float* tail_out, int rest) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < quads) { float4 v = in[i]; v.x = leaky(v.x); v.y = leaky(v.y); v.z = leaky(v.z); v.w = leaky(v.w); out[i] = v; }
  if (i < rest) tail_out[i] = leaky(tail[i]);
}
void run(torch::Tensor x, torch::Tensor y) {
  const int64_t q = x.numel() / 4;
  g<<<(q + 511) / 512, 512>>>(reinterpret_cast<const float4*>(x.data_ptr<float>()), reinterpret_cast<float4*>(y.data_ptr<float>()), q, x.data_ptr<float>() + 4 * q, y.data_ptr<float>() + 4 * q, int(x.numel() % 4));
}
