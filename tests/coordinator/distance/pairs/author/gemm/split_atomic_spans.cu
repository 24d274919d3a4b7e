#define PARTS 8
template <typename T> struct Span { const T* p; int stride; __device__ T operator[](int i) const { return __ldg(p + (size_t)i * stride); } };
__device__ __forceinline__ float product(Span<float> x, Span<float> y, int from, int to) {
  float t0 = 0.f, t1 = 0.f;
  int i = from;
  for (; i + 1 < to; i += 2) { t0 = fmaf(x[i], y[i], t0); t1 = fmaf(x[i + 1], y[i + 1], t1); }
  return i < to ? fmaf(x[i], y[i], t0 + t1) : t0 + t1;
}
extern "C" __global__ void clear(float* c, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = 0.f; }
extern "C" __global__ void __launch_bounds__(256) accumulate(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int m, int n, int k) {
  const int col = blockIdx.x * 32 + threadIdx.x % 32, row = blockIdx.y * 8 + threadIdx.x / 32;
  const int size = (k + PARTS - 1) / PARTS;
  if (row < m && col < n) atomicAdd(c + (size_t)row * n + col, product({a + (size_t)row * k, 1}, {b + col, n}, blockIdx.z * size, min(k, int(blockIdx.z + 1) * size)));
}
