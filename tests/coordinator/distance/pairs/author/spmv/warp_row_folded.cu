template <unsigned Mask = 0xffffffffu>
__device__ __forceinline__ float fold(float v) { v += __shfl_down_sync(Mask, v, 16); v += __shfl_down_sync(Mask, v, 8); v += __shfl_down_sync(Mask, v, 4); v += __shfl_down_sync(Mask, v, 2); return v + __shfl_down_sync(Mask, v, 1); }
extern "C" __global__ void csr(const int* ptr, const int* col, const float* val, const float* x, float* y, int rows) {
  const int r = blockIdx.x * blockDim.y + threadIdx.y;
  float part = 0.f;
  if (r < rows) {
    int j = ptr[r] + threadIdx.x; const int stop = ptr[r + 1];
    while (j < stop) { part = part + val[j] * x[col[j]]; j += warpSize; }
  }
  part = fold(part);
  if (threadIdx.x == 0 && r < rows) y[r] = part;
}
