#include <mma.h>
#include <cuda_fp16.h>
#include <stdint.h>

// Eight warps along N, K in steps of two fragments, indices in 64 bits.
constexpr int kTile = 16;
constexpr int kWarps = 8;
constexpr int kUnroll = 2;

using Lhs = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, kTile, kTile, kTile, __half, nvcuda::wmma::row_major>;
using Rhs = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, kTile, kTile, kTile, __half, nvcuda::wmma::row_major>;
using Acc = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, kTile, kTile, kTile, float>;

struct Operands {
  const __half* __restrict__ lhs;
  const __half* __restrict__ rhs;
  int64_t lhs_width, rhs_width;

  __device__ __forceinline__ void advance(Acc& acc) {
    Rhs r;
    Lhs l;
    nvcuda::wmma::load_matrix_sync(r, rhs, unsigned(rhs_width));
    nvcuda::wmma::load_matrix_sync(l, lhs, unsigned(lhs_width));
    nvcuda::wmma::mma_sync(acc, l, r, acc);
    lhs += kTile;
    rhs += kTile * rhs_width;
  }
};

extern "C" __global__ void __launch_bounds__(kWarps * 32, 4)
half_product(float* __restrict__ out, const __half* __restrict__ lhs, const __half* __restrict__ rhs,
             int64_t columns, int64_t inner) {
  const int64_t x = (int64_t(blockIdx.y) * kWarps + threadIdx.y) * kTile;
  const int64_t y = int64_t(blockIdx.x) * kTile;
  if (x >= columns) return;

  Acc acc;
#pragma unroll
  for (int e = 0; e < acc.num_elements; ++e) acc.x[e] = 0.f;
  Operands at{lhs + y * inner, rhs + x, inner, columns};
  for (int64_t steps = inner / (kTile * kUnroll); steps > 0; --steps) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) at.advance(acc);
  }
  nvcuda::wmma::store_matrix_sync(out + y * columns + x, acc, unsigned(columns), nvcuda::wmma::mem_row_major);
}
