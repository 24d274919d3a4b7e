// C = A @ B, one output per thread, tiles in shared memory; blockIdx.z takes a slice of K and adds.
#define TILE 16

extern "C" __global__ void clear(float* C, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) C[i] = 0.0f;
}

extern "C" __global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                                int M, int N, int K) {
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  const int slice = ((K + gridDim.z - 1) / gridDim.z + TILE - 1) / TILE * TILE;
  const int first = blockIdx.z * slice, last = min(K, first + slice);
  float acc = 0.0f;
  for (int k0 = first; k0 < last; k0 += TILE) {
    a[threadIdx.y][threadIdx.x] = row < M && k0 + threadIdx.x < last ? A[row * K + k0 + threadIdx.x] : 0.0f;
    b[threadIdx.y][threadIdx.x] = col < N && k0 + threadIdx.y < last ? B[(k0 + threadIdx.y) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) acc += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) atomicAdd(&C[row * N + col], acc);
}
