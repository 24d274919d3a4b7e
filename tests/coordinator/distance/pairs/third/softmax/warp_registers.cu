// One warp per row, the row held in registers (N <= 1024, N a multiple of 32).
#include <cfloat>

extern "C" __global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  const int lane = threadIdx.x & 31;
  const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (row >= rows) return;
  const float* in = x + size_t(row) * cols;
  float* out = y + size_t(row) * cols;
  float v[32];
  float m = -FLT_MAX;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    const int i = k * 32 + lane;
    v[k] = i < cols ? in[i] : -FLT_MAX;
    m = fmaxf(m, v[k]);
  }
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
  float s = 0.0f;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    v[k] = __expf(v[k] - m);
    s += v[k];
  }
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
  const float inv = 1.0f / s;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    const int i = k * 32 + lane;
    if (i < cols) out[i] = v[k] * inv;
  }
}
