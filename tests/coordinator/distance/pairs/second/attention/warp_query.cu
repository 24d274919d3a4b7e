// A warp per query, D = 64: two components for each lane, and a running softmax over the keys.
#include <cuda_runtime.h>

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffffu, v, offset);
  return v;
}

extern "C" __global__ void attention(const float* q, const float* k, const float* v, float* out, int length) {
  const int lane = threadIdx.x;
  const size_t head = (size_t)blockIdx.y * length * 64;
  const float* query = q + head + (size_t)blockIdx.x * 64;
  const float q0 = query[lane] * 0.125f;
  const float q1 = query[lane + 32] * 0.125f;
  float highest = -1e30f, sum = 0.0f, o0 = 0.0f, o1 = 0.0f;
  for (int t = 0; t < length; ++t) {
    const float* key = k + head + (size_t)t * 64;
    const float* value = v + head + (size_t)t * 64;
    const float score = warp_sum(q0 * key[lane] + q1 * key[lane + 32]);
    const float next = fmaxf(highest, score);
    const float shrink = __expf(highest - next);
    const float weight = __expf(score - next);
    sum = sum * shrink + weight;
    o0 = o0 * shrink + weight * value[lane];
    o1 = o1 * shrink + weight * value[lane + 32];
    highest = next;
  }
  float* to = out + head + (size_t)blockIdx.x * 64;
  to[lane] = o0 / sum;
  to[lane + 32] = o1 / sum;
}
