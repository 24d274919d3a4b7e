// fused residual add + rmsnorm, one warp per row, float4
#include <cuda_runtime.h>
extern "C" __global__ void k(const float4* x, const float4* r, const float4* w, float4* y, int rows, int n4, float eps) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* a = x + (size_t)row * n4;
  const float4* b = r + (size_t)row * n4;
  float s = 0;
  for (int i = lane; i < n4; i += 32) {
    float4 u = a[i], v = b[i];
    u.x += v.x; u.y += v.y; u.z += v.z; u.w += v.w;
    s += u.x * u.x + u.y * u.y + u.z * u.z + u.w * u.w;
  }
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
  float f = rsqrtf(s / (n4 * 4) + eps);
  for (int i = lane; i < n4; i += 32) {
    float4 u = a[i], v = b[i], g = w[i];
    y[(size_t)row * n4 + i] = make_float4((u.x + v.x) * f * g.x, (u.y + v.y) * f * g.y, (u.z + v.z) * f * g.z, (u.w + v.w) * f * g.w);
  }
}
