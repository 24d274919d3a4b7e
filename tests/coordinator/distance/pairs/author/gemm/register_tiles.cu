// register blocked: each thread 4x4
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float sa[64][16], sb[16][64];
  int tx = threadIdx.x, ty = threadIdx.y;
  float acc[4][4] = {};
  for (int t = 0; t < K; t += 16) {
    for (int i = 0; i < 4; ++i) sa[ty * 4 + i][tx] = A[(blockIdx.y * 64 + ty * 4 + i) * K + t + tx];
    for (int i = 0; i < 4; ++i) sb[ty][tx * 4 + i] = B[(t + ty) * N + blockIdx.x * 64 + tx * 4 + i];
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      float ra[4], rb[4];
      for (int i = 0; i < 4; ++i) { ra[i] = sa[ty * 4 + i][k]; rb[i] = sb[k][tx * 4 + i]; }
      for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) C[(blockIdx.y * 64 + ty * 4 + i) * N + blockIdx.x * 64 + tx * 4 + j] = acc[i][j];
}
#include <torch/extension.h>
void run(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  mm<<<dim3(c.size(1)/64, c.size(0)/64), dim3(16,16)>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), a.size(0), b.size(1), a.size(1));
}
