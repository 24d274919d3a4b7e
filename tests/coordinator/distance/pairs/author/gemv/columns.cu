extern "C" __global__ void matvec(const float* a, const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int from = blockIdx.y * 256, to = min(cols, from + 256);
  if (row >= rows) return;
  float s = 0.0f;
  for (int c = from; c < to; ++c) s += a[(size_t)row * cols + c] * x[c];
  atomicAdd(y + row, s);
}
