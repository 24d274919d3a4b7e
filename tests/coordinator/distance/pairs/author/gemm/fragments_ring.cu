#include <torch/extension.h>
#include <cuda_fp16.h>
#include <mma.h>
namespace wm = nvcuda::wmma;
namespace {
constexpr int BM = 128, BN = 64, BK = 32, STAGES = 3;
__device__ __forceinline__ void copy16(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from));
}
struct Ring {
  half left[STAGES][BM][BK + 8];
  half right[STAGES][BK][BN + 8];
  __device__ void fetch(int slot, const half* A, const half* B, int lda, int ldb) {
    for (int i = threadIdx.x; i < BM * BK / 8; i += 256) copy16(&left[slot][i / 4][i % 4 * 8], A + (size_t)(i / 4) * lda + i % 4 * 8);
    for (int i = threadIdx.x; i < BK * BN / 8; i += 256) copy16(&right[slot][i / 8][i % 8 * 8], B + (size_t)(i / 8) * ldb + i % 8 * 8);
    asm volatile("cp.async.commit_group;\n" ::);
  }
};
__global__ void __launch_bounds__(256) product(float* __restrict__ C, const half* __restrict__ A, const half* __restrict__ B, int n, int k) {
  extern __shared__ __align__(16) unsigned char storage[];
  Ring& ring = *reinterpret_cast<Ring*>(storage);
  const int warp = threadIdx.x >> 5;
  A += (size_t)blockIdx.x * BM * k;
  B += blockIdx.y * BN;
  wm::fragment<wm::accumulator, 16, 16, 16, float> acc[BN / 16];
#pragma unroll
  for (auto& f : acc) wm::fill_fragment(f, 0.f);
  const int steps = k / BK;
  for (int s = 0; s < STAGES - 1; ++s) ring.fetch(s, A + s * BK, B + (size_t)s * BK * n, k, n);
  for (int s = 0; s < steps; ++s) {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(STAGES - 2));
    __syncthreads();
    const int next = s + STAGES - 1;
    if (next < steps) ring.fetch(next % STAGES, A + next * BK, B + (size_t)next * BK * n, k, n);
    const int slot = s % STAGES;
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wm::fragment<wm::matrix_a, 16, 16, 16, half, wm::row_major> fa;
      wm::load_matrix_sync(fa, &ring.left[slot][warp * 16][kk], BK + 8);
#pragma unroll
      for (int j = 0; j < BN / 16; ++j) {
        wm::fragment<wm::matrix_b, 16, 16, 16, half, wm::row_major> fb;
        wm::load_matrix_sync(fb, &ring.right[slot][kk][j * 16], BN + 8);
        wm::mma_sync(acc[j], fa, fb, acc[j]);
      }
    }
  }
  for (int j = 0; j < BN / 16; ++j) wm::store_matrix_sync(C + ((size_t)blockIdx.x * BM + warp * 16) * n + blockIdx.y * BN + j * 16, acc[j], n, wm::mem_row_major);
}
}
void run(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Ring));
  product<<<dim3(a.size(0) / BM, b.size(1) / BN), 256, sizeof(Ring)>>>(c.data_ptr<float>(), (const half*)a.data_ptr(), (const half*)b.data_ptr(), b.size(1), a.size(1));
}
