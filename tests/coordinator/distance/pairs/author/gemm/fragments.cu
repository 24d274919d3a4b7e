#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void gemm(const __half* a, const __half* b, float* c, int m, int n, int k) {
  __shared__ __half as[64 * 32], bs[32 * 64];
  int warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4];
  for (int i = 0; i < 4; ++i) wmma::fill_fragment(acc[i], 0.0f);
  for (int k0 = 0; k0 < k; k0 += 32) {
    for (int i = threadIdx.x; i < 64 * 32; i += 128) as[i] = a[(blockIdx.y * 64 + i / 32) * k + k0 + i % 32];
    for (int i = threadIdx.x; i < 32 * 64; i += 128) bs[i] = b[(k0 + i / 64) * n + blockIdx.x * 64 + i % 64];
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
      wmma::load_matrix_sync(fa, as + warp * 16 * 32 + kk, 32);
      for (int i = 0; i < 4; ++i) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
        wmma::load_matrix_sync(fb, bs + kk * 64 + i * 16, 64);
        wmma::mma_sync(acc[i], fa, fb, acc[i]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) wmma::store_matrix_sync(c + (blockIdx.y * 64 + warp * 16) * n + blockIdx.x * 64 + i * 16, acc[i], n, wmma::mem_row_major);
}
