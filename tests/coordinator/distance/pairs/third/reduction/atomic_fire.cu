// Alternative concept: an unrolled tournament inside the block, then a fire-and-forget reduction
// instruction to the destination.
#define CONTENDERS 1024

extern "C" __global__ void reset_destination(float* __restrict__ destination) {
  if (threadIdx.x == 0) *destination = 0.f;
}

__device__ __forceinline__ void fire(float* where, float amount) {
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(where), "f"(amount) : "memory");
}

__device__ __forceinline__ float lanes(float s) {
  s += __shfl_xor_sync(~0u, s, 1);
  s += __shfl_xor_sync(~0u, s, 2);
  s += __shfl_xor_sync(~0u, s, 4);
  s += __shfl_xor_sync(~0u, s, 8);
  s += __shfl_xor_sync(~0u, s, 16);
  return s;
}

__device__ __forceinline__ float gather(const float* __restrict__ values, int count) {
  const int hop = gridDim.x * CONTENDERS;
  float a = 0.f, b = 0.f, c = 0.f, d = 0.f;
  int at = blockIdx.x * CONTENDERS + threadIdx.x;
  for (; at + 3 * hop < count; at += 4 * hop) {
    a += __ldg(&values[at]);
    b += __ldg(&values[at + hop]);
    c += __ldg(&values[at + 2 * hop]);
    d += __ldg(&values[at + 3 * hop]);
  }
  while (at < count) {
    a += __ldg(&values[at]);
    at += hop;
  }
  return a + b + c + d;
}

extern "C" __global__ void __launch_bounds__(CONTENDERS)
tournament(const float* __restrict__ values, float* __restrict__ destination, int count) {
  __shared__ float arena[CONTENDERS / 32];
  float mine = lanes(gather(values, count));
  if ((threadIdx.x & 31) == 0) arena[threadIdx.x >> 5] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    mine = lanes(arena[threadIdx.x]);
    if (threadIdx.x == 0) fire(destination, mine);
  }
}
