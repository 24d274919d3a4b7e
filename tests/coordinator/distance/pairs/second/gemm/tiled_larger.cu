#include <cuda_fp16.h>
#include <stdint.h>

#define EDGE 32
#define GUARDED(condition, pointer, index) ((condition) ? __half2float(__ldg((pointer) + (index))) : 0.f)

// The product of one pair of tiles, for the element that belongs to this thread.
static __device__ __forceinline__ float along(const float (&left)[EDGE][EDGE + 1], const float (&right)[EDGE][EDGE + 1],
                                              int r, int s, float so_far) {
#pragma unroll
  for (int t = 0; t < EDGE; t++) so_far = fmaf(left[r][t], right[t][s], so_far);
  return so_far;
}

extern "C" __global__ void __launch_bounds__(EDGE* EDGE)
product(float* __restrict__ out, const __half* __restrict__ lhs, const __half* __restrict__ rhs,
        int64_t rows, int64_t columns, int64_t inner) {
  __shared__ float right[EDGE][EDGE + 1], left[EDGE][EDGE + 1];
  const int s = threadIdx.x % EDGE, r = threadIdx.x / EDGE;
  const int64_t y = int64_t(blockIdx.x) * EDGE + r;
  const int64_t x = int64_t(blockIdx.y) * EDGE + s;
  const int64_t tiles = (inner + EDGE - 1) / EDGE;

  float element = 0.f;
  for (int64_t tile = 0; tile != tiles; ++tile) {
    const int64_t p = tile * EDGE;
    right[r][s] = GUARDED(x < columns && p + r < inner, rhs, (p + r) * columns + x);
    left[r][s] = GUARDED(y < rows && p + s < inner, lhs, y * inner + p + s);
    __syncthreads();
    element = along(left, right, r, s, element);
    __syncthreads();
  }
  if (y >= rows || x >= columns) return;
  __stcs(out + y * columns + x, element);
}
