// One thread per result; tiles of 16 x 16 of both operands are staged in shared memory.
constexpr int TILE = 16;
extern "C" __global__ void gemm(const float* a, const float* b, float* c, int M, int N, int K) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int column = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        left[ty][tx] = row < M && k0 + tx < K ? a[row * K + k0 + tx] : 0.0f;
        right[ty][tx] = column < N && k0 + ty < K ? b[(k0 + ty) * N + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    if (row < M && column < N) c[row * N + column] = sum;
}
