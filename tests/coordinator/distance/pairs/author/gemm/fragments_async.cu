#include <cuda_fp16.h>
#include <mma.h>
#include <cuda_pipeline.h>
using namespace nvcuda;
extern "C" __global__ void gemm(const half* a, const half* b, float* c, int m, int n, int k) {
  __shared__ half sa[2][64 * 16];
  __shared__ half sb[2][16 * 64];
  const int t = threadIdx.x, w = t / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4];
  for (int j = 0; j < 4; ++j) wmma::fill_fragment(acc[j], 0.f);
  const half* pa = a + (size_t)(blockIdx.y * 64 + t / 2) * k + t % 2 * 8;
  const half* pb = b + (size_t)(t / 8) * n + blockIdx.x * 64 + t % 8 * 8;
  __pipeline_memcpy_async(&sa[0][t * 8], pa, 16);
  __pipeline_memcpy_async(&sb[0][t * 8], pb, 16);
  __pipeline_commit();
  for (int s = 0; s < k / 16; ++s) {
    if (s + 1 < k / 16) {
      __pipeline_memcpy_async(&sa[(s + 1) & 1][t * 8], pa + (s + 1) * 16, 16);
      __pipeline_memcpy_async(&sb[(s + 1) & 1][t * 8], pb + (size_t)(s + 1) * 16 * n, 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::load_matrix_sync(fa, &sa[s & 1][w * 16 * 16], 16);
    for (int j = 0; j < 4; ++j) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
      wmma::load_matrix_sync(fb, &sb[s & 1][j * 16], 64);
      wmma::mma_sync(acc[j], fa, fb, acc[j]);
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) wmma::store_matrix_sync(c + (size_t)(blockIdx.y * 64 + w * 16) * n + blockIdx.x * 64 + j * 16, acc[j], n, wmma::mem_row_major);
}
