// Two blocks for each multiprocessor, whose warps walk over the 16 x 16 tiles of C. M, N and K are multiples of 64.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void gemm(const __half* a, const __half* b, float* c, int m, int n, int k) {
  const int across = n / 16;
  const int tiles = (m / 16) * across;
  const int warps = gridDim.x * 4;
  for (int tile = blockIdx.x * 4 + threadIdx.x / 32; tile < tiles; tile += warps) {
    const int row = tile / across * 16;
    const int column = tile % across * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int start = 0; start < k; start += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
      wmma::load_matrix_sync(left, a + (size_t)row * k + start, k);
      wmma::load_matrix_sync(right, b + (size_t)start * n + column, n);
      wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c + (size_t)row * n + column, sum, n, wmma::mem_row_major);
  }
}
