// Idea: as many threads as the row has 16-byte vectors, one each: the shortest way from the first
// load to the last store, and few enough registers for 2048 threads on a multiprocessor.
// Predicted: best where there are few rows; level with two vectors per thread where there are many.

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

// Launch: one block per row, hidden / 8 threads, each with one 16-byte vector.
extern "C" __global__ void __launch_bounds__(1024, 2) rmsnorm_residual(
    const uint4* __restrict__ x, const uint4* __restrict__ residual,
    const uint4* __restrict__ weight, uint4* __restrict__ y, uint4* __restrict__ residual_out,
    int tokens, int hidden, float eps) {
    __shared__ float partial[32];
    const size_t at = size_t(blockIdx.x) * (hidden / 8) + threadIdx.x;
    const uint4 a = __ldcs(x + at), b = __ldcs(residual + at), w = __ldg(weight + threadIdx.x);
    float squares = 0.0f;
    const uint4 h = add(a, b, squares);
    __stcs(residual_out + at, h);
    const float root = rsqrtf(sum_of_block(squares, partial) / hidden + eps);
    __stcs(y + at, scale(h, w, root));
}
