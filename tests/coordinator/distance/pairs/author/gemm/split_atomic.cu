__global__ void k(const float* a, const float* b, float* c, int m, int n, int kk, int split) {
  int r = blockIdx.y * 16 + threadIdx.y, q = blockIdx.x * 16 + threadIdx.x;
  int per = (kk + split - 1) / split, lo = blockIdx.z * per, hi = min(kk, lo + per);
  if (r >= m || q >= n) return;
  float s = 0;
  for (int i = lo; i < hi; ++i) s += a[r * kk + i] * b[i * n + q];
  atomicAdd(&c[r * n + q], s);
}
#include <torch/extension.h>
void run(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  c.zero_();
  k<<<dim3((c.size(1) + 15) / 16, (c.size(0) + 15) / 16, 4), dim3(16, 16)>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), a.size(0), b.size(1), a.size(1), 4);
}
