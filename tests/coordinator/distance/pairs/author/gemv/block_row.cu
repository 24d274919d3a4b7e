extern "C" __global__ void gemv(const float* a, const float* x, float* y, int m, int n) {
  __shared__ float part[8];
  const float* row = a + (size_t)blockIdx.x * n;
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += row[i] * x[i];
  for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) { s = 0; for (int w = 0; w < 8; ++w) s += part[w]; y[blockIdx.x] = s; }
}
