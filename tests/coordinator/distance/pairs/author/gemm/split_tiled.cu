// As many slices of K as blockIdx.z counts; their parts of C are added by a second kernel.
#include <cuda_fp16.h>

extern "C" __global__ void gemm_slice(const __half* a, const __half* b, float* parts, int m, int n, int k, int depth) {
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  const int end = min(k, (int)(blockIdx.z + 1) * depth);
  float sum = 0.0f;
  for (int start = blockIdx.z * depth; start < end; start += 16) {
    const int ka = start + threadIdx.x;
    const int kb = start + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < m && ka < end ? __half2float(a[(size_t)row * k + ka]) : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] = column < n && kb < end ? __half2float(b[(size_t)kb * n + column]) : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) parts[((size_t)blockIdx.z * m + row) * n + column] = sum;
}

extern "C" __global__ void gemm_add(const float* parts, float* c, int elements, int slices) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= elements) return;
  float sum = 0.0f;
  for (int s = 0; s < slices; ++s) sum += parts[(size_t)s * elements + i];
  c[i] = sum;
}
