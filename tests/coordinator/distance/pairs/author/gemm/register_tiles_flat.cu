#include <torch/extension.h>
constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
template <int R, int C> struct Frag { float v[R][C];
  __device__ __forceinline__ void clear() { for (int i = 0; i < R * C; ++i) v[i / C][i % C] = 0.f; }
  __device__ __forceinline__ void outer(const float (&p)[R], const float (&q)[C]) {
#pragma unroll
    for (int e = 0; e < R * C; ++e) v[e / C][e % C] = fmaf(p[e / C], q[e % C], v[e / C][e % C]);
  } };
__global__ __launch_bounds__(256) void gemm(float* __restrict__ out, const float* __restrict__ lhs, const float* __restrict__ rhs, int m, int n, int kk) {
  extern __shared__ float smem[];
  float* As = smem; float* Bs = smem + BM * BK;
  const int lane_r = threadIdx.x / (BN / TN), lane_c = threadIdx.x % (BN / TN);
  Frag<TM, TN> acc; acc.clear();
  const float* lp = lhs + (size_t)blockIdx.y * BM * kk;
  const float* rp = rhs + blockIdx.x * BN;
  for (int left = kk; left > 0; left -= BK, lp += BK, rp += BK * n) {
    const float4 va = *reinterpret_cast<const float4*>(&lp[(threadIdx.x / 2) * kk + (threadIdx.x % 2) * 4]);
    As[((threadIdx.x % 2) * 4 + 0) * BM + threadIdx.x / 2] = va.x;
    As[((threadIdx.x % 2) * 4 + 1) * BM + threadIdx.x / 2] = va.y;
    As[((threadIdx.x % 2) * 4 + 2) * BM + threadIdx.x / 2] = va.z;
    As[((threadIdx.x % 2) * 4 + 3) * BM + threadIdx.x / 2] = va.w;
    reinterpret_cast<float4*>(Bs)[threadIdx.x] = reinterpret_cast<const float4*>(&rp[(threadIdx.x / 32) * n])[threadIdx.x % 32];
    __syncthreads();
#pragma unroll
    for (int d = 0; d < BK; ++d) {
      float p[TM], q[TN];
      for (int i = 0; i < TM; ++i) p[i] = As[d * BM + lane_r * TM + i];
      for (int j = 0; j < TN; ++j) q[j] = Bs[d * BN + lane_c * TN + j];
      acc.outer(p, q);
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) out[(size_t)(blockIdx.y * BM + lane_r * TM + i) * n + blockIdx.x * BN + lane_c * TN + j] = acc.v[i][j];
}
void run(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  gemm<<<dim3(c.size(1) / BN, c.size(0) / BM), 256, (BM + BN) * BK * 4>>>(c.data_ptr<float>(), a.data_ptr<float>(), b.data_ptr<float>(), a.size(0), b.size(1), a.size(1));
}
