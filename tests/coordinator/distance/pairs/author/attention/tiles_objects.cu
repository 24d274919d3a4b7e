#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
template <int W> struct Vec {
  float e[W];
  __device__ __forceinline__ float dot(const float* p) const { float s = 0.f;
#pragma unroll
    for (int i = 0; i < W; ++i) s = fmaf(e[i], p[i], s);
    return s; }
  __device__ __forceinline__ void scale(float f) {
#pragma unroll
    for (float& x : e) x *= f; }
  __device__ __forceinline__ void axpy(float f, const float* p) {
#pragma unroll
    for (int i = 0; i < W; ++i) e[i] = fmaf(f, p[i], e[i]); }
};
template <int W> class Online {
  Vec<W> mixed; float peak, mass;
 public:
  __device__ Online() : peak(-INFINITY), mass(0.f) { for (float& x : mixed.e) x = 0.f; }
  __device__ void see(float score, const float* value) {
    if (score > peak) {
      const float decay = exp2f(peak - score);
      mixed.scale(decay);
      mass *= decay;
      peak = score;
    }
    const float p = exp2f(score - peak);
    mass += p;
    mixed.axpy(p, value);
  }
  __device__ void write(float* to) const { const float inv = __frcp_rn(mass);
#pragma unroll
    for (int i = 0; i < W; ++i) to[i] = mixed.e[i] * inv; }
};
template <int W, int KEYS, int QUERIES>
__global__ void __launch_bounds__(QUERIES) streaming(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V, float* __restrict__ O, int tokens, float scale) {
  extern __shared__ float pool[];
  float* const kt = pool;
  float* const vt = pool + KEYS * W;
  const size_t offset = size_t(blockIdx.x) * tokens * W;
  const int query = blockIdx.y * QUERIES + threadIdx.x;
  Vec<W> mine;
#pragma unroll
  for (int i = 0; i < W; i += 4) *reinterpret_cast<float4*>(mine.e + i) = *reinterpret_cast<const float4*>(Q + offset + size_t(query) * W + i);
  mine.scale(scale * 1.44269504f);
  Online<W> online;
  for (int block = 0; block < tokens / KEYS; ++block) {
    const float4* kf = reinterpret_cast<const float4*>(K + offset + size_t(block) * KEYS * W);
    const float4* vf = reinterpret_cast<const float4*>(V + offset + size_t(block) * KEYS * W);
    for (int i = threadIdx.x; i < KEYS * W / 4; i += QUERIES) {
      reinterpret_cast<float4*>(kt)[i] = __ldg(kf + i);
      reinterpret_cast<float4*>(vt)[i] = __ldg(vf + i);
    }
    __syncthreads();
#pragma unroll 2
    for (int key = 0; key < KEYS; ++key) online.see(mine.dot(kt + key * W), vt + key * W);
    __syncthreads();
  }
  online.write(O + offset + size_t(query) * W);
}
void run(torch::Tensor q, torch::Tensor k, torch::Tensor v, torch::Tensor o) {
  const int T = q.size(2);
  dim3 grid(q.size(0) * q.size(1), T / 128);
  streaming<64, 64, 128><<<grid, 128, 64 * 64 * 8, c10::cuda::getCurrentCUDAStream()>>>(q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), o.data_ptr<float>(), T, 0.125f);
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
