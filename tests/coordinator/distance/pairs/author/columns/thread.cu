// transposed gemv/colsum: thread per column
extern "C" __global__ void colsum(const float* x, float* y, int m, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n) return;
  float s = 0.f;
  for (int r = 0; r < m; ++r) s += x[(size_t)r * n + c];
  y[c] = s;
}
