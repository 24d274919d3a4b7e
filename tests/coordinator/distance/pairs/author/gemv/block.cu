extern "C" __global__ void matvec(const float* a, const float* x, float* y, int rows, int cols) {
  __shared__ float parts[256];
  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 256) s += a[(size_t)blockIdx.x * cols + c] * x[c];
  parts[threadIdx.x] = s;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (threadIdx.x < h) parts[threadIdx.x] += parts[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = parts[0];
}
