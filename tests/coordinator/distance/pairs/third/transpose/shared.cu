#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int kTile = 32;
constexpr int kRows = 8;

__global__ void transpose_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  int c = blockIdx.x * kTile + threadIdx.x;
  int r = blockIdx.y * kTile + threadIdx.y;
  for (int k = 0; k < kTile; k += kRows)
    if (c < cols && r + k < rows) tile[threadIdx.y + k][threadIdx.x] = x[size_t(r + k) * cols + c];
  __syncthreads();
  c = blockIdx.y * kTile + threadIdx.x;
  r = blockIdx.x * kTile + threadIdx.y;
  for (int k = 0; k < kTile; k += kRows)
    if (c < rows && r + k < cols) y[size_t(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
}

void run(torch::Tensor x, torch::Tensor y) {
  const int rows = x.size(0), cols = x.size(1);
  dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile), block(kTile, kRows);
  transpose_kernel<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                                                         rows, cols);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
