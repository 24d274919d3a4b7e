#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cub/block/block_reduce.cuh>
namespace {
struct Larger { __device__ float operator()(float a, float b) const { return a < b ? b : a; } };
struct Plus { __device__ float operator()(float a, float b) const { return a + b; } };
template <int THREADS, typename Op>
__device__ float all_threads(float v, Op op, float* board) {
#pragma unroll
  for (int d = 1; d < 32; d *= 2) v = op(v, __shfl_xor_sync(0xffffffffu, v, d));
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  __syncthreads();
  if (!lane) board[warp] = v;
  __syncthreads();
  v = board[lane % (THREADS / 32)];
#pragma unroll
  for (int d = THREADS / 64; d > 0; d /= 2) v = op(v, __shfl_xor_sync(0xffffffffu, v, d));
  return v;
}
template <int THREADS>
__global__ void __launch_bounds__(THREADS) probabilities(float* __restrict__ out, const float* __restrict__ logits, int64_t width) {
  extern __shared__ __align__(16) float cache[];
  __shared__ float board[32];
  logits += blockIdx.x * width;
  out += blockIdx.x * width;
  float top = -INFINITY;
  for (int64_t c = threadIdx.x; c < width; c += THREADS) top = fmaxf(top, cache[c] = __ldcs(logits + c) * 1.44269504f);
  top = all_threads<THREADS>(top, Larger{}, board);
  float mass = 0.f;
  int64_t c = threadIdx.x;
  while (c < width) {
    const float p = exp2f(cache[c] - top);
    mass += p;
    cache[c] = p;
    c += THREADS;
  }
  const float inverse = __fdividef(1.f, all_threads<THREADS>(mass, Plus{}, board));
  for (c = threadIdx.x; c < width; c += THREADS) __stcs(out + c, cache[c] * inverse);
}
}
void run(torch::Tensor x, torch::Tensor y) {
  const auto width = x.size(1);
  probabilities<512><<<x.size(0), 512, width * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(y.data_ptr<float>(), x.data_ptr<float>(), width);
}
