struct Scratch { float cells[32]; float whole; };
template <class F>
__device__ __forceinline__ float over_row(int width, Scratch& s, F&& term) {
  float mine = 0.f;
  for (int c = threadIdx.x; c < width; c += blockDim.x) mine += term(c);
#pragma unroll
  for (int m = 1; m < 32; m <<= 1) mine += __shfl_xor_sync(0xffffffffu, mine, m);
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) s.cells[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    float v = lane < (blockDim.x >> 5) ? s.cells[lane] : 0.f;
    for (int m = 16; m; m >>= 1) v += __shfl_xor_sync(0xffffffffu, v, m);
    if (lane == 0) s.whole = v;
  }
  __syncthreads();
  return s.whole;
}
extern "C" __global__ void layernorm(const float* __restrict__ src, const float* __restrict__ gain, const float* __restrict__ shift, float* __restrict__ dst, int width) {
  extern __shared__ float cache[];
  __shared__ Scratch scratch;
  src += size_t(blockIdx.x) * width;
  dst += size_t(blockIdx.x) * width;
  const float inv = 1.f / width;
  const float mu = inv * over_row(width, scratch, [&](int c) { return cache[c] = src[c]; });
  const float var = inv * over_row(width, scratch, [&](int c) { const float d = cache[c] - mu; return d * d; });
  const float rs = 1.f / sqrtf(var + 1e-5f);
  for (int c = threadIdx.x; c < width; c += blockDim.x) dst[c] = fmaf((cache[c] - mu) * rs, gain[c], shift[c]);
}
