// block per chunk of rows, atomics
extern "C" __global__ void colsum(const float* x, float* y, int m, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n) return;
  float s = 0.f;
  int stop = min(m, (int)(blockIdx.y + 1) * 64);
  for (int r = blockIdx.y * 64; r < stop; ++r) s += x[(size_t)r * n + c];
  atomicAdd(y + c, s);
}
