// One thread per result, straight from global memory.
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int M, int N, int K) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || column >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += a[row * K + k] * b[k * N + column];
    c[row * N + column] = sum;
}
