#define FULL_MASK 0xffffffffu
struct Row {
  const float4* base;
  int quads;
  __device__ float dot(const float4* __restrict__ v, int lane) const {
    float acc[2] = {0.f, 0.f};
    int q = lane;
#pragma unroll 2
    while (q < quads) {
      const float4 m = __ldcs(base + q), w = __ldg(v + q);
      acc[0] = fmaf(m.x, w.x, fmaf(m.y, w.y, acc[0]));
      acc[1] = fmaf(m.z, w.z, fmaf(m.w, w.w, acc[1]));
      q += warpSize;
    }
    return acc[0] + acc[1];
  }
};
template <int HOP> __device__ __forceinline__ float fold(float v) {
  v += __shfl_xor_sync(FULL_MASK, v, HOP);
  if constexpr (HOP > 1) return fold<HOP / 2>(v);
  return v;
}
extern "C" __global__ void __launch_bounds__(256) matvec(const float4* __restrict__ matrix, const float4* __restrict__ vec, float* __restrict__ out, int rows, int quads) {
  const int warp = blockIdx.x * 8 + threadIdx.y;
  if (warp < rows) {
    const Row row{matrix + (size_t)warp * quads, quads};
    const float total = fold<16>(row.dot(vec, threadIdx.x));
    if (!threadIdx.x) out[warp] = total;
  }
}
