#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void rms_kernel(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y,
                           int hidden, float eps) {
  __shared__ float partial[256];
  const float* in = x + size_t(blockIdx.x) * hidden;
  float* out = y + size_t(blockIdx.x) * hidden;
  float acc = 0.0f;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) acc += in[i] * in[i];
  partial[threadIdx.x] = acc;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  const float r = rsqrtf(partial[0] / hidden + eps);
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) out[i] = in[i] * r * w[i];
}

void run(torch::Tensor x, torch::Tensor weight, torch::Tensor y) {
  const int hidden = x.size(1);
  rms_kernel<<<x.size(0), 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>(), hidden, 1e-6f);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
