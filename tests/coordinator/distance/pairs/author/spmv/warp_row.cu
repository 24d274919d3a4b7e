#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <torch/extension.h>
namespace cg = cooperative_groups;
__global__ void spmv(const int* ptr, const int* col, const float* val, const float* x, float* y, int rows) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (r >= rows) return;
  float s = 0;
  for (int j = ptr[r] + warp.thread_rank(); j < ptr[r + 1]; j += 32) s += val[j] * x[col[j]];
  s = cg::reduce(warp, s, cg::plus<float>());
  if (warp.thread_rank() == 0) y[r] = s;
}
void run(torch::Tensor p, torch::Tensor c, torch::Tensor v, torch::Tensor x, torch::Tensor y) {
  spmv<<<(y.size(0) * 32 + 255) / 256, 256>>>(p.data_ptr<int>(), c.data_ptr<int>(), v.data_ptr<float>(), x.data_ptr<float>(), y.data_ptr<float>(), y.size(0));
}
