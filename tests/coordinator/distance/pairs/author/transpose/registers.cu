#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int kPatch = 4;

// Every thread turns a 4 x 4 patch in its registers; rows and cols are multiples of 4.
__global__ void transpose_kernel(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  const int c = (blockIdx.x * blockDim.x + threadIdx.x) * kPatch;
  const int r = (blockIdx.y * blockDim.y + threadIdx.y) * kPatch;
  if (c >= cols || r >= rows) return;
  float4 in[kPatch];
#pragma unroll
  for (int k = 0; k < kPatch; ++k) in[k] = *reinterpret_cast<const float4*>(x + size_t(r + k) * cols + c);
  float4 out[kPatch];
  out[0] = make_float4(in[0].x, in[1].x, in[2].x, in[3].x);
  out[1] = make_float4(in[0].y, in[1].y, in[2].y, in[3].y);
  out[2] = make_float4(in[0].z, in[1].z, in[2].z, in[3].z);
  out[3] = make_float4(in[0].w, in[1].w, in[2].w, in[3].w);
#pragma unroll
  for (int k = 0; k < kPatch; ++k) *reinterpret_cast<float4*>(y + size_t(c + k) * rows + r) = out[k];
}

void run(torch::Tensor x, torch::Tensor y) {
  const int rows = x.size(0), cols = x.size(1);
  dim3 block(8, 32), grid((cols / kPatch + 7) / 8, (rows / kPatch + 31) / 32);
  transpose_kernel<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                                                         rows, cols);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
