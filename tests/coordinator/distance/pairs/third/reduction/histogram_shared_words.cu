// Tally machine: packed 32-bit reads are exploded into four symbols; the tally sheet is an RAII object.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

namespace tally {

constexpr unsigned kSymbols = 256;
constexpr unsigned kThreads = 512;

struct Sheet {
  int* marks;
  __device__ explicit Sheet(int* storage) : marks(storage) {
    if (threadIdx.x < kSymbols) marks[threadIdx.x] = 0;
    __syncthreads();
  }
  __device__ __forceinline__ void mark(unsigned symbol) { atomicAdd(marks + symbol, 1); }
  __device__ __forceinline__ void mark_word(unsigned word) {
    mark(word & 255u);
    mark((word >> 8) & 255u);
    mark((word >> 16) & 255u);
    mark(word >> 24);
  }
  __device__ void hand_in(int* __restrict__ totals) {
    __syncthreads();
    if (threadIdx.x < kSymbols) {
      const int amount = marks[threadIdx.x];
      if (amount != 0) atomicAdd(totals + threadIdx.x, amount);
    }
  }
};

__global__ void __launch_bounds__(kThreads)
count(const unsigned* __restrict__ words, int* __restrict__ totals, int64_t whole, int tail) {
  __shared__ int storage[kSymbols];
  Sheet sheet(storage);
  int64_t at = blockIdx.x * int64_t(kThreads) + threadIdx.x;
  while (at < whole) {
    sheet.mark_word(__ldcs(words + at));
    at += int64_t(gridDim.x) * kThreads;
  }
  if (blockIdx.x == 0 && threadIdx.x < tail)
    sheet.mark(reinterpret_cast<const unsigned char*>(words + whole)[threadIdx.x]);
  sheet.hand_in(totals);
}

}  // namespace tally

void run(torch::Tensor x, torch::Tensor counts) {
  const auto stream = at::cuda::getCurrentCUDAStream();
  counts.zero_();
  const int64_t symbols = x.numel();
  const int64_t whole = symbols / 4;
  tally::count<<<264, tally::kThreads, 0, stream>>>(reinterpret_cast<const unsigned*>(x.data_ptr<uint8_t>()),
                                                   counts.data_ptr<int>(), whole, int(symbols - 4 * whole));
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
