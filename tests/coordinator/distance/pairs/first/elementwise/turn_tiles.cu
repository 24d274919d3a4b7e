// Transpose through a tile in shared memory, so that reads and writes are both in rows.
extern "C" __global__ void turn(const float* x, float* y, int M, int N) {
    __shared__ float tile[32][33];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (row + k < M && column < N) tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * N + column];
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (row + k < N && column < M) y[(row + k) * M + column] = tile[threadIdx.x][threadIdx.y + k];
}
