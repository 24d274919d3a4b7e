#include <torch/extension.h>
namespace {
constexpr int kWidth = 64, kKeys = 64, kThreads = 64;
struct State {
  float top, mass, acc[kWidth];
  __device__ void reset() { top = -INFINITY; mass = 0.f;
#pragma unroll
    for (float& a : acc) a = 0.f; }
  __device__ void take(float logit, const float* value) {
    if (logit > top) { const float shrink = exp2f(top - logit); mass *= shrink;
#pragma unroll
      for (int d = 0; d < kWidth; ++d) acc[d] *= shrink;
      top = logit; }
    const float p = exp2f(logit - top);
    mass += p;
#pragma unroll
    for (int d = 0; d < kWidth; ++d) acc[d] = fmaf(p, value[d], acc[d]);
  }
};
__global__ void __launch_bounds__(kThreads) streaming(float* __restrict__ out, const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, int64_t length, float base2) {
  extern __shared__ float tile[];
  float* keys = tile; float* values = tile + kKeys * kWidth;
  const int64_t mine = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  float query[kWidth];
#pragma unroll
  for (int d = 0; d < kWidth; d += 4) { const float4 f = mine < length ? reinterpret_cast<const float4*>(q + mine * kWidth)[d / 4] : make_float4(0, 0, 0, 0); query[d] = f.x * base2; query[d + 1] = f.y * base2; query[d + 2] = f.z * base2; query[d + 3] = f.w * base2; }
  State state; state.reset();
  int64_t first = 0;
  while (first < length) {
    const int count = min(int64_t(kKeys), length - first);
    for (int i = threadIdx.x; i < count * kWidth; i += kThreads) { keys[i] = __ldg(k + first * kWidth + i); values[i] = __ldg(v + first * kWidth + i); }
    __syncthreads();
    for (int j = 0; j < count; ++j) {
      float logit = 0.f;
#pragma unroll
      for (int d = 0; d < kWidth; ++d) logit = fmaf(query[d], keys[j * kWidth + d], logit);
      state.take(logit, values + j * kWidth);
    }
    __syncthreads();
    first += kKeys;
  }
  if (mine >= length) return;
  const float inv = __frcp_rn(state.mass);
  for (int d = 0; d < kWidth; ++d) out[mine * kWidth + d] = state.acc[d] * inv;
}
}
void run(torch::Tensor q, torch::Tensor k, torch::Tensor v, torch::Tensor o) {
  streaming<<<(q.size(0) + 63) / 64, 64, 2 * 64 * 64 * 4>>>(o.data_ptr<float>(), q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), q.size(0), 0.125f * 1.4427f);
}
