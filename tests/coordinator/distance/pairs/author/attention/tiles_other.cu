#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
constexpr int D = 64;
__global__ void attend(const float* q, const float* k, const float* v, float* o, int T) {
  extern __shared__ float scores[];
  __shared__ float red[64];
  const size_t head = size_t(blockIdx.y) * T * D, at = head + size_t(blockIdx.x) * D;
  float top = -1e30f;
  for (int s = threadIdx.x; s < T; s += 64) {
    float dot = 0.0f;
    for (int d = 0; d < D; ++d) dot += q[at + d] * k[head + s * D + d];
    scores[s] = dot * 0.125f;
    top = fmaxf(top, scores[s]);
  }
  red[threadIdx.x] = top;
  __syncthreads();
  for (int h = 32; h > 0; h /= 2) { if (threadIdx.x < h) red[threadIdx.x] = fmaxf(red[threadIdx.x], red[threadIdx.x + h]); __syncthreads(); }
  top = red[0];
  __syncthreads();
  float sum = 0.0f;
  for (int s = threadIdx.x; s < T; s += 64) { scores[s] = __expf(scores[s] - top); sum += scores[s]; }
  red[threadIdx.x] = sum;
  __syncthreads();
  for (int h = 32; h > 0; h /= 2) { if (threadIdx.x < h) red[threadIdx.x] += red[threadIdx.x + h]; __syncthreads(); }
  sum = red[0];
  float acc = 0.0f;
  for (int s = 0; s < T; ++s) acc += scores[s] * v[head + s * D + threadIdx.x];
  o[at + threadIdx.x] = acc / sum;
}
void run(torch::Tensor q, torch::Tensor k, torch::Tensor v, torch::Tensor o) {
  const int heads = q.size(0) * q.size(1), T = q.size(2);
  attend<<<dim3(T, heads), 64, T * 4, at::cuda::getCurrentCUDAStream()>>>(q.data_ptr<float>(), k.data_ptr<float>(), v.data_ptr<float>(), o.data_ptr<float>(), T);
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
