#include <cub/block/block_reduce.cuh>
constexpr int kThreads = 512;
using Reduce = cub::BlockReduce<float, kThreads>;
__device__ float broadcast(float v) {
  __shared__ float cell;
  if (threadIdx.x == 0) cell = v;
  __syncthreads();
  return cell;
}
extern "C" __global__ void __launch_bounds__(kThreads) softmax(const float* __restrict__ logits, float* __restrict__ probs, int n) {
  __shared__ typename Reduce::TempStorage storage;
  const float* p = logits + (size_t)blockIdx.x * n;
  float* q = probs + (size_t)blockIdx.x * n;
  float best = -INFINITY;
  for (int c = threadIdx.x; c < n; c += kThreads) best = max(best, p[c]);
  best = broadcast(Reduce(storage).Reduce(best, cub::Max()));
  __syncthreads();
  float mass = 0.f;
  for (int c = threadIdx.x; c < n; c += kThreads) mass += __expf(p[c] - best);
  mass = Reduce(storage).Sum(mass);
  const float inv = broadcast(1.f / mass);
  for (int c = threadIdx.x; c < n; c += kThreads) q[c] = __expf(p[c] - best) * inv;
}
