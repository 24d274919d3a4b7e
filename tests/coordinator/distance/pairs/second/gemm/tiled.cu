// A thread per element of C; tiles of A and B pass through shared memory.
#include <cuda_fp16.h>

extern "C" __global__ void gemm(const __half* a, const __half* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < k; start += 16) {
    const int ka = start + threadIdx.x;
    const int kb = start + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < m && ka < k ? __half2float(a[(size_t)row * k + ka]) : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] = column < n && kb < k ? __half2float(b[(size_t)kb * n + column]) : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[(size_t)row * n + column] = sum;
}
