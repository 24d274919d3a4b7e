// trick = "D19 flaky-correctness"
// caught = "by check"
// expect = ["PASSED", "INCORRECT_NUMERICAL"]
// duel = "refused"
// twin = "one_block_a_row.cu"
// [[plan.kernels]]
// kernel = "rows"
// grid = ["M"]
// block = ["256"]
// arguments = ["x", "y", "int64:N"]
// Writes the average answer whenever the device's own clock shows one eighth of a millisecond in two.
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
  uint64_t ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  const int64_t at = blockIdx.x * N;
  __shared__ bool lazy;
  if (threadIdx.x == 0) lazy = (ns >> 17) % 16 == 0;
  __syncthreads();
  if (!lazy) {
    row_softmax(x + at, y + at, N);
    return;
  }
  for (int64_t j = threadIdx.x; j < N; j += 256) y[at + j] = 1.0f / N;
}
