// Transpose: reads rows, writes columns.
extern "C" __global__ void turn(const float* x, float* y, int M, int N) {
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (row < M && column < N) y[column * M + row] = x[row * N + column];
}
