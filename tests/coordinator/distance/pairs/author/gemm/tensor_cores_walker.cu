#include <cuda_fp16.h>
#include <mma.h>
namespace wm = nvcuda::wmma;
struct Walker {
  int at, step, end;
  __device__ Walker(int total) : at(blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)), step(gridDim.x * (blockDim.x >> 5)), end(total) {}
  __device__ bool more() const { return at < end; }
  __device__ void next() { at += step; }
};
template <class Layout> using Left = wm::fragment<wm::matrix_a, 16, 16, 16, __half, Layout>;
template <class Layout> using Right = wm::fragment<wm::matrix_b, 16, 16, 16, __half, Layout>;
extern "C" __global__ void __launch_bounds__(256) gemm(const __half* __restrict__ A, const __half* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  const int wide = N >> 5;
  for (Walker w((M >> 4) * wide); w.more(); w.next()) {
    const __half* a = A + size_t(w.at / wide) * 16 * K;
    const __half* b = B + (w.at % wide) * 32;
    wm::fragment<wm::accumulator, 16, 16, 16, float> acc[2];
    wm::fill_fragment(acc[0], 0.f);
    wm::fill_fragment(acc[1], 0.f);
#pragma unroll 4
    for (int d = 0; d < K; d += 16) {
      Left<wm::row_major> l;
      Right<wm::row_major> r0, r1;
      wm::load_matrix_sync(l, a + d, K);
      wm::load_matrix_sync(r0, b + size_t(d) * N, N);
      wm::load_matrix_sync(r1, b + size_t(d) * N + 16, N);
      wm::mma_sync(acc[0], l, r0, acc[0]);
      wm::mma_sync(acc[1], l, r1, acc[1]);
    }
    float* c = C + size_t(w.at / wide) * 16 * N + (w.at % wide) * 32;
    wm::store_matrix_sync(c, acc[0], N, wm::mem_row_major);
    wm::store_matrix_sync(c + 16, acc[1], N, wm::mem_row_major);
  }
}
