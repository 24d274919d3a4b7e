__device__ float gelu(float v) { return 0.5f * v * (1.f + erff(v * 0.70710678f)); }
extern "C" __global__ void bias_gelu(const float* x, const float* b, float* y, int rows, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n) return;
  float bias = b[c];
  for (int r = blockIdx.y; r < rows; r += gridDim.y) y[(size_t)r * n + c] = gelu(x[(size_t)r * n + c] + bias);
}
