// Row-wise argmax: a block per row, index kept beside the value, tree in shared memory.
extern "C" __global__ void argmax(const float* x, int* y, int n) {
  __shared__ float best[256];
  __shared__ int where[256];
  float b = -3e38f;
  int w = 0;
  for (int i = threadIdx.x; i < n; i += 256) {
    const float v = x[(size_t)blockIdx.x * n + i];
    if (v > b) { b = v; w = i; }
  }
  best[threadIdx.x] = b;
  where[threadIdx.x] = w;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (threadIdx.x < h && best[threadIdx.x + h] > best[threadIdx.x]) {
      best[threadIdx.x] = best[threadIdx.x + h];
      where[threadIdx.x] = where[threadIdx.x + h];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = where[0];
}
