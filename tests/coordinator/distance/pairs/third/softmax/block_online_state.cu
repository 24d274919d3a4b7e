// Softmax with a monoid: State{peak, mass} forms a commutative monoid, so the entire reduction is
// one generic fold. Completely restructured around that algebra.
struct State {
  float peak;
  float mass;
};

#define NEUTRAL State{-3.0e38f, 0.f}

__device__ __forceinline__ State absorb(State st, float value) {
  if (value > st.peak) {
    st.mass = st.mass * exp2f((st.peak - value) * 1.44269504f) + 1.f;
    st.peak = value;
  } else {
    st.mass += exp2f((value - st.peak) * 1.44269504f);
  }
  return st;
}

__device__ __forceinline__ State join(const State& a, const State& b) {
  const bool left = a.peak >= b.peak;
  const float hi = left ? a.peak : b.peak, lo = left ? b.peak : a.peak;
  const float big = left ? a.mass : b.mass, small = left ? b.mass : a.mass;
  return State{hi, fmaf(small, exp2f((lo - hi) * 1.44269504f), big)};
}

__device__ __forceinline__ State fold_warp(State st) {
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    State other{__shfl_xor_sync(~0u, st.peak, d), __shfl_xor_sync(~0u, st.mass, d)};
    st = join(st, other);
  }
  return st;
}

template <int WARPS>
__device__ __forceinline__ State fold_block(State st) {
  __shared__ State table[WARPS];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  st = fold_warp(st);
  if (!lane) table[warp] = st;
  __syncthreads();
  State all = table[0];
#pragma unroll
  for (int w = 1; w < WARPS; ++w) all = join(all, table[w]);
  return all;
}

extern "C" __global__ void __launch_bounds__(128)
monoid_softmax(const float* __restrict__ src, float* __restrict__ dst, int n) {
  src += blockIdx.x * (size_t)n;
  dst += blockIdx.x * (size_t)n;
  State even = NEUTRAL, odd = NEUTRAL;
  int i = threadIdx.x;
  for (; i + 128 < n; i += 256) {
    even = absorb(even, __ldg(src + i));
    odd = absorb(odd, __ldg(src + i + 128));
  }
  if (i < n) even = absorb(even, __ldg(src + i));
  const State row = fold_block<4>(join(even, odd));
  const float r = __frcp_rn(row.mass);
#pragma unroll 4
  for (int j = threadIdx.x; j < n; j += 128)
    dst[j] = exp2f((src[j] - row.peak) * 1.44269504f) * r;
}
