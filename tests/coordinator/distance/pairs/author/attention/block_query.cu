// A block per query, D = 64: all its scores lie in shared memory, then come softmax and the values.
#include <cuda_runtime.h>

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffffu, v, offset);
  return v;
}

extern "C" __global__ void attention(const float* q, const float* k, const float* v, float* out, int length) {
  extern __shared__ float scores[];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const size_t head = (size_t)blockIdx.y * length * 64;
  const float* query = q + head + (size_t)blockIdx.x * 64;
  const float q0 = query[lane] * 0.125f;
  const float q1 = query[lane + 32] * 0.125f;
  for (int t = warp; t < length; t += blockDim.x / 32) {
    const float* key = k + head + (size_t)t * 64;
    const float score = warp_sum(q0 * key[lane] + q1 * key[lane + 32]);
    if (lane == 0) scores[t] = score;
  }
  __syncthreads();
  float highest = -1e30f;
  for (int t = 0; t < length; ++t) highest = fmaxf(highest, scores[t]);
  float sum = 0.0f;
  for (int t = 0; t < length; ++t) sum += __expf(scores[t] - highest);
  if (threadIdx.x < 64) {
    float o = 0.0f;
    for (int t = 0; t < length; ++t) o += __expf(scores[t] - highest) * v[head + (size_t)t * 64 + threadIdx.x];
    out[head + (size_t)blockIdx.x * 64 + threadIdx.x] = o / sum;
  }
}
