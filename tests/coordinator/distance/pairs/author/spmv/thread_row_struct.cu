struct Row { const int* cols; const float* vals; int count;
  __device__ float dot(const float* __restrict__ x) const {
    float even = 0.f, odd = 0.f; int k = 0;
    for (; k + 1 < count; k += 2) { even = fmaf(__ldg(vals + k), __ldg(x + __ldg(cols + k)), even); odd = fmaf(__ldg(vals + k + 1), __ldg(x + __ldg(cols + k + 1)), odd); }
    if (k < count) even = fmaf(vals[k], x[cols[k]], even);
    return even + odd;
  } };
extern "C" __global__ void multiply(float* __restrict__ y, const float* __restrict__ x, const float* __restrict__ val, const int* __restrict__ col, const int* __restrict__ ptr, int rows) {
  const int r = blockIdx.x * 128 + threadIdx.x;
  if (r < rows) { const int a = ptr[r], b = ptr[r + 1]; const Row row{col + a, val + a, b - a}; y[r] = row.dot(x); }
}
