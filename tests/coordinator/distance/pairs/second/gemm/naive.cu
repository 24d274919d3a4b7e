// A thread per element of C, which walks along K in global memory.
#include <cuda_fp16.h>

extern "C" __global__ void gemm(const __half* a, const __half* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i)
    sum += __half2float(a[(size_t)row * k + i]) * __half2float(b[(size_t)i * n + column]);
  c[(size_t)row * n + column] = sum;
}
