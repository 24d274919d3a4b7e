#include <torch/extension.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
template <int N> struct Board { float slot[N]; };
__device__ __forceinline__ float dot4(float4 a, float4 b, float c) { return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, c)))); }
template <int THREADS> __global__ void __launch_bounds__(THREADS) rows_times_vector(float* __restrict__ out, const float4* __restrict__ matrix, const float4* __restrict__ vec, int quads) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  __shared__ Board<THREADS / 32> board;
  const float4* mine = matrix + (size_t)blockIdx.x * quads;
  float acc = 0.f;
#pragma unroll 4
  for (int q = block.thread_rank(); q < quads; q += THREADS) acc = dot4(__ldcs(mine + q), __ldg(vec + q), acc);
  acc = cg::reduce(warp, acc, cg::plus<float>());
  if (warp.thread_rank() == 0) board.slot[warp.meta_group_rank()] = acc;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    acc = warp.thread_rank() < THREADS / 32 ? board.slot[warp.thread_rank()] : 0.f;
    acc = cg::reduce(warp, acc, cg::plus<float>());
    if (warp.thread_rank() == 0) out[blockIdx.x] = acc;
  }
}
void run(torch::Tensor a, torch::Tensor x, torch::Tensor y) {
  rows_times_vector<128><<<a.size(0), 128>>>(y.data_ptr<float>(), reinterpret_cast<float4*>(a.data_ptr<float>()), reinterpret_cast<float4*>(x.data_ptr<float>()), a.size(1) / 4);
}
