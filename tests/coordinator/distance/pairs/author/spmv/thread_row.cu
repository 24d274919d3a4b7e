#include <torch/extension.h>
__global__ void spmv(const int* ptr, const int* col, const float* val, const float* x, float* y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
  y[r] = s;
}
void run(torch::Tensor p, torch::Tensor c, torch::Tensor v, torch::Tensor x, torch::Tensor y) {
  spmv<<<(y.size(0) + 255) / 256, 256>>>(p.data_ptr<int>(), c.data_ptr<int>(), v.data_ptr<float>(), x.data_ptr<float>(), y.data_ptr<float>(), y.size(0));
}
