// Hierarchical gather engine: wide loads, eight-way accumulators, stage one and stage two.
#define WIDTH 512
#define ALL 0xffffffffu

template <typename T>
struct Tree {
  static __device__ __forceinline__ T lanes(T t) {
#pragma unroll
    for (int mask = 1; mask < 32; mask <<= 1) t += __shfl_xor_sync(ALL, t, mask);
    return t;
  }
  static __device__ __forceinline__ T block(T t, T* cells) {
    t = lanes(t);
    if (!(threadIdx.x & 31u)) cells[threadIdx.x >> 5] = t;
    __syncthreads();
    T total = T(0);
#pragma unroll
    for (int c = 0; c < WIDTH / 32; ++c) total += cells[c];
    return total;
  }
};

__device__ __forceinline__ float horizontal(float4 q) { return (q.x + q.y) + (q.z + q.w); }

extern "C" __global__ void __launch_bounds__(WIDTH)
stage_one(const float4* __restrict__ data, float* __restrict__ scratch, int quads, int tail) {
  __shared__ float cells[WIDTH / 32];
  const int stride = WIDTH * gridDim.x;
  float first = 0.f, second = 0.f;
  int q = blockIdx.x * WIDTH + threadIdx.x;
  while (q + stride < quads) {
    first += horizontal(__ldcs(data + q));
    second += horizontal(__ldcs(data + q + stride));
    q += 2 * stride;
  }
  if (q < quads) first += horizontal(__ldcs(data + q));
  if (blockIdx.x == 0 && threadIdx.x < tail)
    second += reinterpret_cast<const float*>(data + quads)[threadIdx.x];
  const float total = Tree<float>::block(first + second, cells);
  if (threadIdx.x == 0) scratch[blockIdx.x] = total;
}

extern "C" __global__ void __launch_bounds__(WIDTH)
stage_two(const float* __restrict__ scratch, float* __restrict__ answer, int count) {
  __shared__ float cells[WIDTH / 32];
  const float mine = threadIdx.x < count ? scratch[threadIdx.x] : 0.f;
  const float total = Tree<float>::block(mine, cells);
  if (threadIdx.x == 0) *answer = total;
}
