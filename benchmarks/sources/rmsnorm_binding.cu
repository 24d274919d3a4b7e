// RMSNorm of rows in bfloat16, with a binding as most torch extensions have it.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_bf16.h>

constexpr int THREADS = 256;

__global__ void rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* y, int64_t width,
                        float eps) {
  __shared__ float part[THREADS / 32];
  const int64_t first = int64_t(blockIdx.x) * width;
  float sum = 0;
  for (int64_t i = threadIdx.x; i < width; i += THREADS) {
    const float value = __bfloat162float(x[first + i]);
    sum += value * value;
  }
  for (int distance = 16; distance; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (float each : part) sum += each;
  const float scale = rsqrtf(sum / width + eps);
  for (int64_t i = threadIdx.x; i < width; i += THREADS)
    y[first + i] = __float2bfloat16(__bfloat162float(x[first + i]) * scale * __bfloat162float(weight[i]));
}

void run(torch::Tensor x, torch::Tensor weight, double eps, torch::Tensor y) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous(), "x must be contiguous and on the GPU");
  const int64_t width = x.size(-1);
  rmsnorm<<<x.numel() / width, THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const __nv_bfloat16*>(x.data_ptr<at::BFloat16>()),
      reinterpret_cast<const __nv_bfloat16*>(weight.data_ptr<at::BFloat16>()),
      reinterpret_cast<__nv_bfloat16*>(y.data_ptr<at::BFloat16>()), width, float(eps));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run, "RMSNorm"); }
