// Idea: the row stays in registers, 16 bytes at a time, with one barrier; few rows get one vector a
// thread, for the shortest way, many rows two, for more bytes under way.
// Predicted: the rate of a copy for many rows.

#include <cuda_bf16.h>
#include <stdint.h>

#define DEVICE __device__ __forceinline__

// Eight bf16 values in 16 bytes.
DEVICE void widen(const uint4& from, float (&to)[8]) {
  const uint32_t words[4] = {from.x, from.y, from.z, from.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    to[2 * i] = __uint_as_float(words[i] << 16);
    to[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
}

DEVICE uint4 narrow(const float (&from)[8]) {
  uint4 to;
  uint32_t* words = reinterpret_cast<uint32_t*>(&to);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(words[i]) : "f"(from[2 * i + 1]), "f"(from[2 * i]));
  return to;
}

DEVICE float sum_of_warp(float v) {
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
  return v;
}

// One barrier: every warp adds the sums of all warps itself. `partial` may be used again after a barrier.
DEVICE float sum_of_block(float v, float* partial) {
  v = sum_of_warp(v);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  return sum_of_warp(threadIdx.x % 32 < blockDim.x / 32 ? partial[threadIdx.x % 32] : 0.f);
}

// One row by one block, each of whose threads keeps `VECTORS` times eight elements.
template <int VECTORS>
DEVICE void normalise_row(const uint4* x, const uint4* residual, const uint4* weight, uint4* y, uint4* residual_out,
                          int hidden, float eps) {
  __shared__ float partial[32];
  const size_t row = size_t(blockIdx.x) * (hidden / 8);
  uint4 a[VECTORS], b[VECTORS];
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) {
    a[i] = __ldcs(x + row + threadIdx.x + i * blockDim.x);
    b[i] = __ldcs(residual + row + threadIdx.x + i * blockDim.x);
  }
  float sum[VECTORS][8], squares = 0.f;
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) {
    float other[8];
    widen(a[i], sum[i]);
    widen(b[i], other);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      sum[i][j] += other[j];
      squares = fmaf(sum[i][j], sum[i][j], squares);
    }
    __stcs(residual_out + row + threadIdx.x + i * blockDim.x, narrow(sum[i]));
  }
  const float scale = rsqrtf(sum_of_block(squares, partial) / hidden + eps);
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) {
    float gain[8];
    widen(__ldg(weight + threadIdx.x + i * blockDim.x), gain);
#pragma unroll
    for (int j = 0; j < 8; ++j) sum[i][j] *= scale * gain[j];
    __stcs(y + row + threadIdx.x + i * blockDim.x, narrow(sum[i]));
  }
}

extern "C" __global__ void __launch_bounds__(1024)
    rms_norm_few(const uint4* x, const uint4* residual, const uint4* weight, uint4* y, uint4* residual_out, int hidden,
                 float eps) {
  normalise_row<1>(x, residual, weight, y, residual_out, hidden, eps);
}

extern "C" __global__ void __launch_bounds__(512)
    rms_norm(const uint4* x, const uint4* residual, const uint4* weight, uint4* y, uint4* residual_out, int hidden,
             float eps) {
  normalise_row<2>(x, residual, weight, y, residual_out, hidden, eps);
}

