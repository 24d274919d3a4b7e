// Idea: blocks that stay and walk over the rows; while one row is reduced, cp.async already fetches
// the next one into the other half of shared memory.
// Predicted: the gap between rows disappears; 2 to 4 % over one block per row where there are many.

__device__ __forceinline__ float low(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float high(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ __forceinline__ unsigned pack(float first, float second) {
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}

// One pair of bf16 values: the rounded sum, whose squares go into `squares`.
__device__ __forceinline__ unsigned add(unsigned a, unsigned b, float& squares) {
    const unsigned sum = pack(low(a) + low(b), high(a) + high(b));
    squares = fmaf(low(sum), low(sum), squares);
    squares = fmaf(high(sum), high(sum), squares);
    return sum;
}

__device__ __forceinline__ uint4 add(uint4 a, uint4 b, float& squares) {
    return make_uint4(add(a.x, b.x, squares), add(a.y, b.y, squares), add(a.z, b.z, squares),
                      add(a.w, b.w, squares));
}

__device__ __forceinline__ unsigned scale(unsigned pair, unsigned weight, float root) {
    return pack(low(pair) * root * low(weight), high(pair) * root * high(weight));
}

__device__ __forceinline__ uint4 scale(uint4 v, uint4 w, float root) {
    return make_uint4(scale(v.x, w.x, root), scale(v.y, w.y, root), scale(v.z, w.z, root),
                      scale(v.w, w.w, root));
}

__device__ __forceinline__ float sum_of_warp(float value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}

// One barrier: every warp adds up all the partial sums itself.
__device__ __forceinline__ float sum_of_block(float value, float* partial) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    value = sum_of_warp(value);
    if (lane == 0) partial[warp] = value;
    __syncthreads();
    return sum_of_warp(lane < warps ? partial[lane] : 0.0f);
}

__device__ __forceinline__ void copy16(void* to, const void* from) {
    const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
}

// Launch: 132 * 16384 / hidden blocks of hidden / 16 threads, two stages of two rows in shared
// memory (8 * hidden bytes). A thread reads back what it copied itself, so data needs no barrier.
extern "C" __global__ void rmsnorm_residual(
    const uint4* __restrict__ x, const uint4* __restrict__ residual,
    const uint4* __restrict__ weight, uint4* __restrict__ y, uint4* __restrict__ residual_out,
    int tokens, int hidden, float eps) {
    extern __shared__ uint4 ring[];
    __shared__ float partial[2][32];
    const int vectors = hidden / 8;
    const int left = threadIdx.x, right = threadIdx.x + blockDim.x;
    const uint4 w0 = __ldg(weight + left), w1 = __ldg(weight + right);

    auto fetch = [&](int row, int stage) {
        uint4* slot = ring + stage * 2 * vectors;
        const size_t at = size_t(row) * vectors;
        copy16(slot + left, x + at + left);
        copy16(slot + right, x + at + right);
        copy16(slot + vectors + left, residual + at + left);
        copy16(slot + vectors + right, residual + at + right);
    };

    int stage = 0;
    if (blockIdx.x < tokens) fetch(blockIdx.x, stage);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int row = blockIdx.x; row < tokens; row += gridDim.x, stage ^= 1) {
        if (row + gridDim.x < tokens) fetch(row + gridDim.x, stage ^ 1);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        const uint4* slot = ring + stage * 2 * vectors;
        const size_t at = size_t(row) * vectors;
        float squares = 0.0f;
        const uint4 h0 = add(slot[left], slot[vectors + left], squares);
        const uint4 h1 = add(slot[right], slot[vectors + right], squares);
        __stcs(residual_out + at + left, h0);
        __stcs(residual_out + at + right, h1);
        // Alternating partial sums: a warp may be one row ahead, never two.
        const float root = rsqrtf(sum_of_block(squares, partial[stage]) / hidden + eps);
        __stcs(y + at + left, scale(h0, w0, root));
        __stcs(y + at + right, scale(h1, w1, root));
    }
}
