// Tensor-core engine, generation two: fragment bundles, warp grid as template, deeper unrolling.
#include <cuda_bf16.h>
#include <mma.h>
#include <stdint.h>

using element = __nv_bfloat16;
namespace tc = nvcuda::wmma;

#define EDGE 16
#define WARPS_DOWN 4
#define WARPS_ACROSS 2

struct Bundle {
  tc::fragment<tc::matrix_a, EDGE, EDGE, EDGE, element, tc::row_major> left;
  tc::fragment<tc::matrix_b, EDGE, EDGE, EDGE, element, tc::row_major> right;

  __device__ __forceinline__ void fetch(const element* l, int lp, const element* r, int rp) {
    tc::load_matrix_sync(left, l, lp);
    tc::load_matrix_sync(right, r, rp);
  }
  template <class Sum>
  __device__ __forceinline__ void apply(Sum& sum) const {
    tc::mma_sync(sum, left, right, sum);
  }
};

extern "C" __global__ void __launch_bounds__(32 * WARPS_DOWN * WARPS_ACROSS)
tensor_multiply(const element* __restrict__ lhs, const element* __restrict__ rhs, float* __restrict__ out,
                int height, int width, int depth) {
  const int id = threadIdx.x >> 5;
  const int y = (blockIdx.y * WARPS_DOWN + id / WARPS_ACROSS) * EDGE;
  const int x = (blockIdx.x * WARPS_ACROSS + id % WARPS_ACROSS) * EDGE;
  if (y < height && x < width) {
    const element* l = lhs + int64_t(y) * depth;
    const element* r = rhs + x;
    const int64_t hop = int64_t(EDGE) * width;
    tc::fragment<tc::accumulator, EDGE, EDGE, EDGE, float> sum;
    tc::fill_fragment(sum, 0.f);
    int left = depth / EDGE;
    while (left >= 2) {
      Bundle one, two;
      one.fetch(l, depth, r, width);
      two.fetch(l + EDGE, depth, r + hop, width);
      one.apply(sum);
      two.apply(sum);
      l += 2 * EDGE;
      r += 2 * hop;
      left -= 2;
    }
    if (left) {
      Bundle rest;
      rest.fetch(l, depth, r, width);
      rest.apply(sum);
    }
    tc::store_matrix_sync(out + int64_t(y) * width + x, sum, width, tc::mem_row_major);
  }
}
