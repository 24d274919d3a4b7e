extern "C" __global__ void rms(const float4* x, const float4* w, float4* y, int n4, float eps) {
  __shared__ float red[1024];
  const float4* r = x + (size_t)blockIdx.x * n4;
  float s = 0;
  for (int i = threadIdx.x; i < n4; i += blockDim.x) { float4 v = r[i]; s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; }
  red[threadIdx.x] = s;
  __syncthreads();
  for (int o = blockDim.x / 2; o > 0; o >>= 1) { if (threadIdx.x < o) red[threadIdx.x] += red[threadIdx.x + o]; __syncthreads(); }
  float f = rsqrtf(red[0] / (4 * n4) + eps);
  for (int i = threadIdx.x; i < n4; i += blockDim.x) { float4 v = r[i], g = w[i]; y[(size_t)blockIdx.x * n4 + i] = make_float4(v.x * f * g.x, v.y * f * g.y, v.z * f * g.z, v.w * f * g.w); }
}
