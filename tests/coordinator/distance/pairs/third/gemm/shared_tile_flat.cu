// A new take: flat thread indexing, padded staging arrays, guarded loader objects, four partial sums.
#include <stdint.h>

constexpr int EDGE = 32;
constexpr int PITCH = EDGE + 1;

struct Source {
  const float* __restrict__ data;
  int rows, columns;
  __device__ __forceinline__ float at(int r, int c) const {
    if (r >= rows || c >= columns) return 0.f;
    return __ldg(data + int64_t(r) * columns + c);
  }
};

struct Stage {
  float cells[EDGE * PITCH];
  __device__ __forceinline__ void put(int r, int c, float v) { cells[r * PITCH + c] = v; }
  __device__ __forceinline__ float get(int r, int c) const { return cells[r * PITCH + c]; }
};

__device__ __forceinline__ float inner(const Stage& left, const Stage& right, int r, int c) {
  float p = 0.f, q = 0.f, s = 0.f, t = 0.f;
#pragma unroll
  for (int d = 0; d < EDGE; d += 4) {
    p = fmaf(left.get(r, d), right.get(d, c), p);
    q = fmaf(left.get(r, d + 1), right.get(d + 1, c), q);
    s = fmaf(left.get(r, d + 2), right.get(d + 2, c), s);
    t = fmaf(left.get(r, d + 3), right.get(d + 3, c), t);
  }
  return (p + q) + (s + t);
}

extern "C" __global__ void __launch_bounds__(EDGE * EDGE)
multiply(const float* __restrict__ lhs, const float* __restrict__ rhs, float* __restrict__ out,
         int height, int width, int depth) {
  __shared__ Stage left, right;
  const int r = threadIdx.x / EDGE, c = threadIdx.x % EDGE;
  const int y = blockIdx.y * EDGE + r, x = blockIdx.x * EDGE + c;
  const Source from_left{lhs, height, depth}, from_right{rhs, depth, width};
  float total = 0.f;
  int offset = 0;
  do {
    left.put(r, c, from_left.at(y, offset + c));
    right.put(r, c, from_right.at(offset + r, x));
    __syncthreads();
    total += inner(left, right, r, c);
    __syncthreads();
    offset += EDGE;
  } while (offset < depth);
  if (y < height && x < width) out[int64_t(y) * width + x] = total;
}
