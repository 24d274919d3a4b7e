__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float sa[16][16], sb[16][16];
  int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 16 + y, c = blockIdx.x * 16 + x;
  float s = 0;
  for (int t = 0; t < (K + 15) / 16; ++t) {
    sa[y][x] = (r < M && t * 16 + x < K) ? A[r * K + t * 16 + x] : 0;
    sb[y][x] = (c < N && t * 16 + y < K) ? B[(t * 16 + y) * N + c] : 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k) s += sa[y][k] * sb[k][x];
    __syncthreads();
  }
  if (r < M && c < N) C[r * N + c] = s;
}
#include <torch/extension.h>
void run(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  mm<<<dim3((c.size(1)+15)/16, (c.size(0)+15)/16), dim3(16,16)>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), a.size(0), b.size(1), a.size(1));
}
