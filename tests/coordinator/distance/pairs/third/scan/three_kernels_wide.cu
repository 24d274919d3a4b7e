// Hierarchical prefix engine. Templates carry the block shape; each launch is one "phase".
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

namespace prefix {

template <int THREADS>
struct Block {
  static constexpr int warps = THREADS / 32;

  static __device__ __forceinline__ float lanes(float value) {
#pragma unroll
    for (int hop = 1; hop <= 16; hop <<= 1) {
      const float earlier = __shfl_up_sync(~0u, value, hop);
      value += (threadIdx.x & 31) >= hop ? earlier : 0.f;
    }
    return value;
  }

  static __device__ float inclusive(float value, float* cells) {
    value = lanes(value);
    if ((threadIdx.x & 31) == 31) cells[threadIdx.x >> 5] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
      const float w = lanes(threadIdx.x < warps ? cells[threadIdx.x] : 0.f);
      if (threadIdx.x < warps) cells[threadIdx.x] = w;
    }
    __syncthreads();
    const float before = threadIdx.x < 32 ? 0.f : cells[(threadIdx.x >> 5) - 1];
    __syncthreads();
    return before + value;
  }
};

template <int THREADS>
__global__ void __launch_bounds__(THREADS) phase_local(const float* __restrict__ in, float* __restrict__ out,
                                                       float* __restrict__ totals, int count) {
  __shared__ float cells[THREADS / 32];
  const int at = 2 * (blockIdx.x * THREADS + threadIdx.x);
  const float a = at < count ? __ldg(in + at) : 0.f;
  const float b = at + 1 < count ? __ldg(in + at + 1) : 0.f;
  const float upto = Block<THREADS>::inclusive(a + b, cells);
  if (at < count) out[at] = upto - b;
  if (at + 1 < count) out[at + 1] = upto;
  if (threadIdx.x == THREADS - 1) totals[blockIdx.x] = upto;
}

template <int THREADS>
__global__ void __launch_bounds__(THREADS) phase_totals(float* totals, int count) {
  __shared__ float cells[THREADS / 32];
  __shared__ float running;
  if (threadIdx.x == 0) running = 0.f;
  __syncthreads();
  for (int base = 0; base < count; base += THREADS) {
    const bool live = base + threadIdx.x < count;
    const float upto = Block<THREADS>::inclusive(live ? totals[base + threadIdx.x] : 0.f, cells) + running;
    __syncthreads();
    if (live) totals[base + threadIdx.x] = upto;
    if (threadIdx.x == THREADS - 1) running = upto;
    __syncthreads();
  }
}

template <int THREADS>
__global__ void __launch_bounds__(THREADS) phase_shift(float* __restrict__ out, const float* __restrict__ totals,
                                                       int count) {
  if (blockIdx.x == 0) return;
  const float shift = __ldg(totals + blockIdx.x - 1);
  const int at = 2 * (blockIdx.x * THREADS + threadIdx.x);
  if (at < count) out[at] += shift;
  if (at + 1 < count) out[at + 1] += shift;
}

}  // namespace prefix

void run(torch::Tensor x, torch::Tensor y) {
  constexpr int threads = 256;
  const int count = static_cast<int>(x.numel());
  const int blocks = (count + 2 * threads - 1) / (2 * threads);
  torch::Tensor totals = torch::empty({blocks}, x.options());
  const auto stream = at::cuda::getCurrentCUDAStream();
  float* t = totals.data_ptr<float>();
  prefix::phase_local<threads><<<blocks, threads, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), t, count);
  prefix::phase_totals<threads><<<1, threads, 0, stream>>>(t, blocks);
  prefix::phase_shift<threads><<<blocks, threads, 0, stream>>>(y.data_ptr<float>(), t, count);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
