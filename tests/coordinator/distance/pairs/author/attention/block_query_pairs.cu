constexpr int kWidth = 64, kWarps = 8;
struct Head { const float* q; const float* k; const float* v; float* o; };
__device__ __forceinline__ float2 pair_at(const float* row, int lane) { return reinterpret_cast<const float2*>(row)[lane]; }
__device__ __forceinline__ float everyone(float s) {
  s += __shfl_down_sync(~0u, s, 16); s += __shfl_down_sync(~0u, s, 8); s += __shfl_down_sync(~0u, s, 4);
  s += __shfl_down_sync(~0u, s, 2); s += __shfl_down_sync(~0u, s, 1);
  return s;
}
extern "C" __global__ void __launch_bounds__(kWarps * 32) attention(const float* Q, const float* K, const float* V, float* O, int tokens) {
  extern __shared__ float logits[];
  const size_t shift = (size_t)blockIdx.y * tokens * kWidth;
  const Head head{Q + shift + (size_t)blockIdx.x * kWidth, K + shift, V + shift, O + shift + (size_t)blockIdx.x * kWidth};
  const int lane = threadIdx.x & 31;
  const float2 mine = pair_at(head.q, lane);
  int key = threadIdx.x >> 5;
  do {
    if (key >= tokens) break;
    const float2 theirs = pair_at(head.k + (size_t)key * kWidth, lane);
    const float dot = everyone(fmaf(mine.x, theirs.x, mine.y * theirs.y));
    if (!lane) logits[key] = dot * 0.18033688f;
    key += kWarps;
  } while (true);
  __syncthreads();
  float peak = logits[0];
#pragma unroll 8
  for (int t = 1; t < tokens; ++t) peak = logits[t] > peak ? logits[t] : peak;
  float even = 0.f, odd = 0.f;
  for (int t = 0; t < tokens; t += 2) {
    even += exp2f(logits[t] - peak);
    if (t + 1 < tokens) odd += exp2f(logits[t + 1] - peak);
  }
  const float inverse = 1.f / (even + odd);
  if (threadIdx.x >= kWidth) return;
  float mixed = 0.f;
  const float* value = head.v + threadIdx.x;
  for (int t = 0; t < tokens; ++t, value += kWidth) mixed = fmaf(exp2f(logits[t] - peak), *value, mixed);
  head.o[threadIdx.x] = mixed * inverse;
}
