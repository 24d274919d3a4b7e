#include <cuda_runtime.h>
#include <stdint.h>

namespace {

constexpr int kEdge = 64;
constexpr int kHeight = 4;  // rows of threads in a block

struct Place {
  int64_t row, column;
  __device__ __forceinline__ bool within(int64_t height, int64_t width) const { return row < height && column < width; }
};

}  // namespace

extern "C" __global__ void __launch_bounds__(kEdge* kHeight)
turn(float* __restrict__ turned, const float* __restrict__ matrix, int64_t height, int64_t width) {
  extern __shared__ float square[];  // kEdge rows of kEdge + 1, against conflicts of banks
  const int tx = threadIdx.x & (kEdge - 1), ty = threadIdx.x / kEdge;
  const int64_t top = int64_t(blockIdx.x) * kEdge, left = int64_t(blockIdx.y) * kEdge;

#pragma unroll
  for (int line = ty; line < kEdge; line += kHeight) {
    const Place from{top + line, left + tx};
    if (from.within(height, width)) square[line * (kEdge + 1) + tx] = __ldcs(matrix + from.row * width + from.column);
  }
  __syncthreads();
#pragma unroll
  for (int line = ty; line < kEdge; line += kHeight) {
    const Place to{left + line, top + tx};
    if (to.within(width, height)) __stcs(turned + to.row * height + to.column, square[tx * (kEdge + 1) + line]);
  }
}
