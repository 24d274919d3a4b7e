// trick = "a sealed launch plan"
// expect = ["PASSED"]
// duel = "no refusal"
// twin = "one_block_a_row.cu"
// [[plan.kernels]]
// kernel = "rows"
// grid = ["M"]
// block = ["256"]
// arguments = ["x", "y", "int64:N"]
// One block for each row.
#include <math.h>
#include <stdint.h>

__device__ void row_softmax(const float* x, float* y, int64_t n) {
  __shared__ float parts[256];
  const int t = threadIdx.x;
  float top = -INFINITY, sum = 0;
  for (int64_t j = t; j < n; j += 256) top = fmaxf(top, x[j]);
  parts[t] = top;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) parts[t] = fmaxf(parts[t], parts[t + s]);
    __syncthreads();
  }
  top = parts[0];
  __syncthreads();
  for (int64_t j = t; j < n; j += 256) sum += expf(x[j] - top);
  parts[t] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) parts[t] += parts[t + s];
    __syncthreads();
  }
  for (int64_t j = t; j < n; j += 256) y[j] = expf(x[j] - top) / parts[0];
}

extern "C" __global__ void rows(const float* x, float* y, int64_t N) {
  row_softmax(x + blockIdx.x * N, y + blockIdx.x * N, N);
}
