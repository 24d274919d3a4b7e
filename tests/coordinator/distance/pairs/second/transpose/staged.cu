// y = x^T: a tile is turned in shared memory, so that reads and writes go along the rows.
#include <cuda_runtime.h>

#define TILE 32
#define STEP 8

extern "C" __global__ void transpose(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[TILE][TILE + 1];
  const int c = blockIdx.x * TILE + threadIdx.x;
  for (int j = 0; j < TILE; j += STEP) {
    const int r = blockIdx.y * TILE + threadIdx.y + j;
    if (r < rows && c < columns) tile[threadIdx.y + j][threadIdx.x] = x[(size_t)r * columns + c];
  }
  __syncthreads();
  const int r = blockIdx.y * TILE + threadIdx.x;
  for (int j = 0; j < TILE; j += STEP) {
    const int c2 = blockIdx.x * TILE + threadIdx.y + j;
    if (r < rows && c2 < columns) y[(size_t)c2 * rows + r] = tile[threadIdx.x][threadIdx.y + j];
  }
}
