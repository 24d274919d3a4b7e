// One warp per row, the row in registers, shuffles instead of shared memory.
extern "C" __global__ void softmax(const float* x, float* y, int M, int N) {
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= M) return;
    float held[32];
    float top = -3e38f;
#pragma unroll
    for (int k = 0; k < 32; ++k) {
        held[k] = lane + 32 * k < N ? x[(size_t)row * N + lane + 32 * k] : -3e38f;
        top = fmaxf(top, held[k]);
    }
    for (int step = 16; step > 0; step /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, step));
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 32; ++k) {
        held[k] = __expf(held[k] - top);
        sum += held[k];
    }
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
#pragma unroll
    for (int k = 0; k < 32; ++k) {
        if (lane + 32 * k < N) y[(size_t)row * N + lane + 32 * k] = held[k] / sum;
    }
}
