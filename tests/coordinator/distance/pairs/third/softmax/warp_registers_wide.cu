// Wide-lane formulation: each lane owns eight quads; the row is a struct with apply and fold members.
#define LANE (threadIdx.x % 32)
#define QUADS 8

struct RowSlice {
  float4 q[QUADS];

  __device__ __forceinline__ void read(const float4* __restrict__ from, int quads) {
#pragma unroll
    for (int k = 0; k < QUADS; ++k) {
      const int at = k * 32 + LANE;
      q[k] = at < quads ? __ldcs(from + at) : make_float4(-1e38f, -1e38f, -1e38f, -1e38f);
    }
  }
  __device__ __forceinline__ float peak() const {
    float p = -1e38f;
#pragma unroll
    for (int k = 0; k < QUADS; ++k) p = fmaxf(p, fmaxf(fmaxf(q[k].x, q[k].y), fmaxf(q[k].z, q[k].w)));
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) p = fmaxf(p, __shfl_xor_sync(~0u, p, d));
    return p;
  }
  __device__ __forceinline__ float exponentiate(float p) {
    const float c = 1.44269504f, shift = p * c;
    float total = 0.f;
#pragma unroll
    for (int k = 0; k < QUADS; ++k) {
      q[k].x = exp2f(q[k].x * c - shift);
      q[k].y = exp2f(q[k].y * c - shift);
      q[k].z = exp2f(q[k].z * c - shift);
      q[k].w = exp2f(q[k].w * c - shift);
      total += (q[k].x + q[k].y) + (q[k].z + q[k].w);
    }
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) total += __shfl_xor_sync(~0u, total, d);
    return total;
  }
  __device__ __forceinline__ void write(float4* __restrict__ to, int quads, float f) const {
#pragma unroll
    for (int k = 0; k < QUADS; ++k) {
      const int at = k * 32 + LANE;
      if (at < quads) __stcs(to + at, make_float4(q[k].x * f, q[k].y * f, q[k].z * f, q[k].w * f));
    }
  }
};

extern "C" __global__ void __launch_bounds__(256)
row_slices(const float4* __restrict__ x, float4* __restrict__ y, int rows, int quads) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row < rows) {
    RowSlice slice;
    slice.read(x + size_t(row) * quads, quads);
    const float total = slice.exponentiate(slice.peak());
    slice.write(y + size_t(row) * quads, quads, __frcp_rn(total));
  }
}
