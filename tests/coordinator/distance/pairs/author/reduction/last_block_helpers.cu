#include <torch/extension.h>
namespace {
constexpr int kThreads = 512, kBlocks = 132;
__device__ float across(float v) {
  __shared__ float board[kThreads / 32];
  for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) board[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < kThreads / 32 ? board[threadIdx.x] : 0.f;
  if (threadIdx.x < 32) for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  __syncthreads();
  return v;
}
__device__ float strided(const float* __restrict__ p, int from, int to, int step) { float a = 0.f; while (from < to) { a += p[from]; from += step; } return a; }
__global__ void __launch_bounds__(kThreads) total(float* out, float* left, unsigned* counter, const float* __restrict__ in, int n) {
  const float mine = across(strided(in, blockIdx.x * kThreads + threadIdx.x, n, kThreads * gridDim.x));
  __shared__ unsigned order;
  if (threadIdx.x == 0) {
    left[blockIdx.x] = mine;
    __threadfence();
    order = atomicInc(counter, gridDim.x - 1);
  }
  __syncthreads();
  if (order + 1 != gridDim.x) return;
  const float all = across(strided(left, threadIdx.x, gridDim.x, kThreads));
  if (threadIdx.x == 0) *out = all;
}
}
void run(torch::Tensor x, torch::Tensor y) {
  auto left = torch::empty({kBlocks}, x.options());
  auto counter = torch::zeros({1}, x.options().dtype(torch::kInt32));
  total<<<kBlocks, kThreads>>>(y.data_ptr<float>(), left.data_ptr<float>(), (unsigned*)counter.data_ptr<int>(), x.data_ptr<float>(), x.numel());
}
