#include <cuda_fp16.h>
struct Shape { int m, n, k; };
template <int S> __device__ __forceinline__ float dot_tiles(const float (&p)[S][S + 1], const float (&q)[S][S + 1]) {
  float even = 0.f, odd = 0.f;
#pragma unroll
  for (int i = 0; i < S; i += 2) {
    even = fmaf(p[threadIdx.y][i], q[i][threadIdx.x], even);
    odd = fmaf(p[threadIdx.y][i + 1], q[i + 1][threadIdx.x], odd);
  }
  return even + odd;
}
extern "C" __global__ void gemm_slice(const __half* __restrict__ left, const __half* __restrict__ right, float* __restrict__ scratch, int m, int n, int k, int share) {
  constexpr int S = 32;
  __shared__ float p[S][S + 1], q[S][S + 1];
  const Shape shape{m, n, k};
  const int r = blockIdx.y * S + threadIdx.y, c = blockIdx.x * S + threadIdx.x;
  int at = blockIdx.z * share;
  const int stop = at + share < shape.k ? at + share : shape.k;
  float acc = 0.f;
  while (at < stop) {
    p[threadIdx.y][threadIdx.x] = (r < shape.m && at + threadIdx.x < stop) ? __half2float(__ldg(left + size_t(r) * shape.k + at + threadIdx.x)) : 0.f;
    q[threadIdx.y][threadIdx.x] = (c < shape.n && at + threadIdx.y < stop) ? __half2float(__ldg(right + size_t(at + threadIdx.y) * shape.n + c)) : 0.f;
    __syncthreads();
    acc += dot_tiles<S>(p, q);
    __syncthreads();
    at += S;
  }
  if (r < shape.m && c < shape.n) scratch[(blockIdx.z * size_t(shape.m) + r) * shape.n + c] = acc;
}
extern "C" __global__ void gemm_add(const float* __restrict__ scratch, float* __restrict__ out, int count, int shares) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < count) {
    const float* p = scratch + e;
    float total = *p;
    for (int s = 1; s < shares; ++s) { p += count; total += *p; }
    out[e] = total;
  }
}
