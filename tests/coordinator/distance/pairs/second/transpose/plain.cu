// y = x^T: reads go along the rows, writes are scattered.
#include <cuda_runtime.h>

#define TILE 32
#define STEP 8

extern "C" __global__ void transpose(const float* x, float* y, int rows, int columns) {
  const int c = blockIdx.x * TILE + threadIdx.x;
  for (int j = 0; j < TILE; j += STEP) {
    const int r = blockIdx.y * TILE + threadIdx.y + j;
    if (r < rows && c < columns) y[(size_t)c * rows + r] = x[(size_t)r * columns + c];
  }
}
