#include <torch/extension.h>
#include <mma.h>
namespace w = nvcuda::wmma;
namespace {
constexpr int BM = 128, BN = 128, BK = 32, PAD = 8;
struct alignas(16) Stage { __half left[BM][BK + PAD]; __half right[BK][BN + PAD];
  __device__ void fill(const __half* __restrict__ A, const __half* __restrict__ B, int lda, int ldb, int tid) {
#pragma unroll
    for (int v = tid; v < BM * BK / 8; v += 256) *reinterpret_cast<uint4*>(&left[v / (BK / 8)][v % (BK / 8) * 8]) = __ldg(reinterpret_cast<const uint4*>(A + (v / (BK / 8)) * lda + v % (BK / 8) * 8));
#pragma unroll
    for (int v = tid; v < BK * BN / 8; v += 256) *reinterpret_cast<uint4*>(&right[v / (BN / 8)][v % (BN / 8) * 8]) = __ldg(reinterpret_cast<const uint4*>(B + (v / (BN / 8)) * ldb + v % (BN / 8) * 8));
  } };
__global__ void __launch_bounds__(256) product(float* __restrict__ C, const __half* __restrict__ A, const __half* __restrict__ B, int n, int k) {
  extern __shared__ char raw[];
  Stage& stage = *reinterpret_cast<Stage*>(raw);
  const int wm = threadIdx.x / 32 % 4, wn = threadIdx.x / 128;
  w::fragment<w::accumulator, 16, 16, 16, float> acc[2][4];
  for (auto& line : acc) for (auto& one : line) w::fill_fragment(one, 0.f);
  const __half* pa = A + size_t(blockIdx.x) * BM * k;
  const __half* pb = B + blockIdx.y * BN;
  for (int steps = k / BK; steps--; pa += BK, pb += BK * n) {
    stage.fill(pa, pb, k, n, threadIdx.x);
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      w::fragment<w::matrix_a, 16, 16, 16, __half, w::row_major> fa[2];
      w::fragment<w::matrix_b, 16, 16, 16, __half, w::row_major> fb[4];
      for (int i = 0; i < 2; ++i) w::load_matrix_sync(fa[i], &stage.left[wm * 32 + i * 16][kk], BK + PAD);
      for (int j = 0; j < 4; ++j) w::load_matrix_sync(fb[j], &stage.right[kk][wn * 64 + j * 16], BN + PAD);
      for (int i = 0; i < 2; ++i) for (int j = 0; j < 4; ++j) w::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) for (int j = 0; j < 4; ++j) w::store_matrix_sync(C + (size_t(blockIdx.x) * BM + wm * 32 + i * 16) * n + blockIdx.y * BN + wn * 64 + j * 16, acc[i][j], n, w::mem_row_major);
}
}
void run(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  product<<<dim3(a.size(0) / BM, b.size(1) / BN), 256, sizeof(Stage)>>>(c.data_ptr<float>(), reinterpret_cast<const __half*>(a.data_ptr<at::Half>()), reinterpret_cast<const __half*>(b.data_ptr<at::Half>()), b.size(1), a.size(1));
}
