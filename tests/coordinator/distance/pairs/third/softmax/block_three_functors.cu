// NEW IDEA: generic reduction engine. The row reduction is a policy object; exponentials are taken
// in base two so that the special function unit is hit directly.
#define FULL 0xffffffffu
#define LOG2E 1.4426950408889634f

struct Maximum {
  static __device__ __forceinline__ float identity() { return __int_as_float(0xff800000); }
  static __device__ __forceinline__ float combine(float a, float b) { return a > b ? a : b; }
};
struct Plus {
  static __device__ __forceinline__ float identity() { return 0.f; }
  static __device__ __forceinline__ float combine(float a, float b) { return a + b; }
};

template <class Op>
struct RowReducer {
  float* smem;
  __device__ __forceinline__ float warp(float v) const {
    v = Op::combine(v, __shfl_down_sync(FULL, v, 16));
    v = Op::combine(v, __shfl_down_sync(FULL, v, 8));
    v = Op::combine(v, __shfl_down_sync(FULL, v, 4));
    v = Op::combine(v, __shfl_down_sync(FULL, v, 2));
    v = Op::combine(v, __shfl_down_sync(FULL, v, 1));
    return v;
  }
  __device__ __forceinline__ float operator()(float v) const {
    const int lane = threadIdx.x % 32, wid = threadIdx.x / 32, nw = blockDim.x / 32;
    v = warp(v);
    __syncthreads();
    if (lane == 0) smem[wid] = v;
    __syncthreads();
    if (wid == 0) {
      float t = lane < nw ? smem[lane] : Op::identity();
      t = warp(t);
      if (lane == 0) smem[0] = t;
    }
    __syncthreads();
    return smem[0];
  }
};

extern "C" __global__ void __launch_bounds__(512)
probability_kernel(const float* __restrict__ logits, float* __restrict__ probs, int width) {
  __shared__ float buffer[33];
  const size_t base = size_t(blockIdx.x) * width;
  const int step = blockDim.x;

  float best = Maximum::identity();
  int c = threadIdx.x;
  for (; c + 3 * step < width; c += 4 * step) {
    const float a = __ldg(logits + base + c), b = __ldg(logits + base + c + step);
    const float d = __ldg(logits + base + c + 2 * step), e = __ldg(logits + base + c + 3 * step);
    best = Maximum::combine(best, Maximum::combine(Maximum::combine(a, b), Maximum::combine(d, e)));
  }
  for (; c < width; c += step) best = Maximum::combine(best, __ldg(logits + base + c));
  best = RowReducer<Maximum>{buffer}(best);

  const float bias = -best * LOG2E;
  float total = Plus::identity();
  c = threadIdx.x;
  while (c < width) {
    total = Plus::combine(total, exp2f(fmaf(__ldg(logits + base + c), LOG2E, bias)));
    c += step;
  }
  total = RowReducer<Plus>{buffer}(total);

  c = threadIdx.x;
  while (c < width) {
    const float p = exp2f(fmaf(__ldg(logits + base + c), LOG2E, bias));
    __stcs(probs + base + c, __fdividef(p, total));
    c += step;
  }
}
