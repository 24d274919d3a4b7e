#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
namespace {
constexpr unsigned kAll = 0xffffffffu;
struct Quad {
  float v[4];
  static __device__ Quad read(const float* p) { const float4 q = __ldg(reinterpret_cast<const float4*>(p)); return {q.x, q.y, q.z, q.w}; }
  __device__ Quad operator+(const Quad& o) const { Quad s; for (int i = 0; i < 4; ++i) s.v[i] = v[i] + o.v[i]; return s; }
  __device__ float energy() const { float e = 0.f; for (int i = 0; i < 4; ++i) e = fmaf(v[i], v[i], e); return e; }
  __device__ void write(float* p) const { *reinterpret_cast<float4*>(p) = make_float4(v[0], v[1], v[2], v[3]); }
};
template <int WARPS>
__global__ void __launch_bounds__(WARPS * 32) add_norm(float* __restrict__ out, const float* __restrict__ hidden, const float* __restrict__ skip, const float* __restrict__ gain, int tokens, int width) {
  const int token = blockIdx.x * WARPS + threadIdx.y;
  if (token < tokens) {
    const int64_t base = int64_t(token) * width;
    float energy = 0.f;
    for (int c = threadIdx.x * 4; c < width; c += 128) energy += (Quad::read(hidden + base + c) + Quad::read(skip + base + c)).energy();
#pragma unroll
    for (int step = 1; step < 32; step <<= 1) energy += __shfl_xor_sync(kAll, energy, step);
    const float scale = 1.f / sqrtf(energy / width + 1e-6f);
    for (int c = threadIdx.x * 4; c < width; c += 128) {
      Quad h = Quad::read(hidden + base + c) + Quad::read(skip + base + c);
      const Quad g = Quad::read(gain + c);
#pragma unroll
      for (int i = 0; i < 4; ++i) h.v[i] *= scale * g.v[i];
      h.write(out + base + c);
    }
  }
}
}
void run(torch::Tensor hidden, torch::Tensor skip, torch::Tensor gain, torch::Tensor out) {
  TORCH_CHECK(hidden.is_contiguous());
  const int tokens = hidden.size(0), width = hidden.size(1);
  constexpr int warps = 8;
  add_norm<warps><<<(tokens + warps - 1) / warps, dim3(32, warps), 0, c10::cuda::getCurrentCUDAStream()>>>(out.data_ptr<float>(), hidden.data_ptr<float>(), skip.data_ptr<float>(), gain.data_ptr<float>(), tokens, width);
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run, "add and normalise"); }
