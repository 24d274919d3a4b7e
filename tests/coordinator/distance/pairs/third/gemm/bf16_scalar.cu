// C = A @ B in bf16, tiles in shared memory, scalar products in fp32.
#include <cuda_bf16.h>
#define TILE 32

extern "C" __global__ void gemm(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B,
                                float* __restrict__ C, int M, int N, int K) {
  __shared__ __nv_bfloat16 a[TILE][TILE];
  __shared__ __nv_bfloat16 b[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < K; k += TILE) {
    a[threadIdx.y][threadIdx.x] = A[size_t(row) * K + k + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[size_t(k + threadIdx.y) * N + col];
    __syncthreads();
    for (int j = 0; j < TILE; ++j)
      acc += __bfloat162float(a[threadIdx.y][j]) * __bfloat162float(b[j][threadIdx.x]);
    __syncthreads();
  }
  C[size_t(row) * N + col] = acc;
}
