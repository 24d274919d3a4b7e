extern "C" __global__ void softmax(const float* x, float* y, int rows, int n) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  x += (size_t)row * n; y += (size_t)row * n;
  float m = -1e30f, s = 0.f;
  for (int i = threadIdx.x; i < n; i += 32) {
    float v = x[i], t = fmaxf(m, v);
    s = s * __expf(m - t) + __expf(v - t);
    m = t;
  }
  for (int o = 16; o > 0; o >>= 1) {
    float m2 = __shfl_xor_sync(0xffffffff, m, o), s2 = __shfl_xor_sync(0xffffffff, s, o);
    float t = fmaxf(m, m2);
    s = s * __expf(m - t) + s2 * __expf(m2 - t);
    m = t;
  }
  for (int i = threadIdx.x; i < n; i += 32) y[i] = __expf(x[i] - m) / s;
}
