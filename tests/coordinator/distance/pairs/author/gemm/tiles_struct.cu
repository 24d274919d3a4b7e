#include <torch/extension.h>
template <int BM, int BN, int BK>
struct Tile {
  float a[BM][BK + 1];
  float b[BK][BN];
  __device__ void fetch(const float* A, const float* B, int row0, int col0, int k0, int M, int N, int K) {
    for (int i = threadIdx.x; i < BM * BK; i += blockDim.x) {
      int r = i / BK, c = i % BK;
      a[r][c] = (row0 + r < M && k0 + c < K) ? A[(size_t)(row0 + r) * K + k0 + c] : 0.f;
    }
    for (int i = threadIdx.x; i < BK * BN; i += blockDim.x) {
      int r = i / BN, c = i % BN;
      b[r][c] = (k0 + r < K && col0 + c < N) ? B[(size_t)(k0 + r) * N + col0 + c] : 0.f;
    }
  }
};
template <int BM, int BN, int BK>
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ Tile<BM, BN, BK> t;
  const int tx = threadIdx.x % BN, ty = threadIdx.x / BN;
  float acc = 0.f;
  int k0 = 0;
  do {
    t.fetch(A, B, blockIdx.y * BM, blockIdx.x * BN, k0, M, N, K);
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < BK; ++k) acc = fmaf(t.a[ty][k], t.b[k][tx], acc);
    __syncthreads();
    k0 += BK;
  } while (k0 < K);
  const int r = blockIdx.y * BM + ty, c = blockIdx.x * BN + tx;
  if (r < M && c < N) C[(size_t)r * N + c] = acc;
}
void run(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  dim3 grid((b.size(1) + 31) / 32, (a.size(0) + 31) / 32);
  mm<32, 32, 32><<<grid, 1024>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), a.size(0), b.size(1), a.size(1));
}
