// Eight rows per block, one for each warp; sums by shuffles, no shared memory, no barrier.
__device__ __forceinline__ float low(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float high(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ __forceinline__ unsigned pack(float first, float second) {
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}

extern "C" __global__ void rmsnorm_residual(
    const unsigned* __restrict__ x, const unsigned* __restrict__ residual,
    const unsigned* __restrict__ weight, unsigned* __restrict__ y,
    unsigned* __restrict__ residual_out, int tokens, int hidden, float eps) {
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, pairs = hidden / 2;
    if (row >= tokens) return;
    const size_t start = size_t(row) * pairs;
    float squares = 0.0f;
    for (int i = lane; i < pairs; i += 32) {
        const unsigned a = __ldcs(x + start + i), b = __ldcs(residual + start + i);
        const unsigned sum = pack(low(a) + low(b), high(a) + high(b));
        squares = fmaf(low(sum), low(sum), squares);
        squares = fmaf(high(sum), high(sum), squares);
        residual_out[start + i] = sum;
    }
    for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, step);
    const float root = rsqrtf(squares / hidden + eps);
    for (int i = lane; i < pairs; i += 32) {
        const unsigned sum = residual_out[start + i], w = __ldg(weight + i);
        y[start + i] = pack(low(sum) * root * low(w), high(sum) * root * high(w));
    }
}
