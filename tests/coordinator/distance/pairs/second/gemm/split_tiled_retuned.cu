#include <cuda_fp16.h>
#include <stdint.h>

#define EDGE 32
#define SLICES 4

template <typename T>
static __device__ __forceinline__ T smaller(T a, T b) { return b < a ? b : a; }

// Adds up what the slices of the inner dimension left in memory, two slices at a time.
extern "C" __global__ void combine(float* __restrict__ out, const float* __restrict__ slices, int64_t count) {
  const int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < count) {
    float even = 0.f, odd = 0.f;
#pragma unroll
    for (int s = 0; s < SLICES; s += 2) {
      even += __ldg(slices + s * count + at);
      odd += __ldg(slices + (s + 1) * count + at);
    }
    out[at] = even + odd;
  }
}

extern "C" __global__ void __launch_bounds__(EDGE* EDGE)
partial_product(float* __restrict__ slices, const __half* __restrict__ lhs, const __half* __restrict__ rhs,
                int64_t rows, int64_t columns, int64_t inner, int64_t length) {
  __shared__ float left[EDGE][EDGE + 1], right[EDGE][EDGE + 1];
  const int s = threadIdx.x, r = threadIdx.y, slice = blockIdx.z;
  const int64_t y = int64_t(blockIdx.y) * EDGE + r, x = int64_t(blockIdx.x) * EDGE + s;
  const int64_t stop = smaller(inner, (slice + 1) * length);

  float element = 0.f;
  int64_t p = slice * length;
  while (p < stop) {
    right[r][s] = (x < columns && p + r < stop) ? __half2float(rhs[(p + r) * columns + x]) : 0.f;
    left[r][s] = (y < rows && p + s < stop) ? __half2float(lhs[y * inner + p + s]) : 0.f;
    __syncthreads();
#pragma unroll 8
    for (int t = 0; t < EDGE; ++t) element = fmaf(left[r][t], right[t][s], element);
    __syncthreads();
    p += EDGE;
  }
  if (y < rows && x < columns) slices[(slice * rows + y) * columns + x] = element;
}
