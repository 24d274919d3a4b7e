using u32 = unsigned;
struct Two {
  float a, b;
  __device__ explicit Two(u32 w) : a(__uint_as_float(w << 16)), b(__uint_as_float(w & 0xffff0000u)) {}
  __device__ Two(float x, float y) : a(x), b(y) {}
  __device__ u32 word() const { u32 r; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(b), "f"(a)); return r; }
  __device__ Two operator+(const Two& o) const { return Two(a + o.a, b + o.b); }
  __device__ Two operator*(const Two& o) const { return Two(a * o.a, b * o.b); }
};
template <int WARPS> struct Line {
  int row, lane;
  __device__ Line() : row(blockIdx.x * WARPS + (threadIdx.x >> 5)), lane(threadIdx.x & 31) {}
  template <class F> __device__ void each(int n, F f) const {
#pragma unroll 2
    for (int i = lane; i < n; i += 32) f(size_t(row) * n + i, i);
  }
};
extern "C" __global__ void __launch_bounds__(128) rmsnorm_residual(const u32* __restrict__ in, const u32* __restrict__ skip, const u32* __restrict__ gain, u32* __restrict__ out, u32* __restrict__ sums, int tokens, int hidden, float eps) {
  const Line<4> line;
  if (line.row < tokens) {
    float s = 0.f;
    line.each(hidden >> 1, [&](size_t at, int) {
      const u32 w = (Two(in[at]) + Two(skip[at])).word();
      sums[at] = w;
      const Two t(w);
      s += t.a * t.a + t.b * t.b;
    });
    s += __shfl_xor_sync(~0u, s, 16); s += __shfl_xor_sync(~0u, s, 8); s += __shfl_xor_sync(~0u, s, 4); s += __shfl_xor_sync(~0u, s, 2); s += __shfl_xor_sync(~0u, s, 1);
    const float f = 1.f / sqrtf(s / hidden + eps);
    line.each(hidden >> 1, [&](size_t at, int i) { out[at] = (Two(sums[at]) * Two(f, f) * Two(gain[i])).word(); });
  }
}
