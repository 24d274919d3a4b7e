// Idea: the register row with streaming loads and stores (evict first), because nothing but the
// weight is read twice.
// Predicted: 1 to 3 % over plain 16-byte accesses; the weight stays cached.

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

// Launch: one block per row, hidden / 16 threads, so each thread keeps two 16-byte vectors.
extern "C" __global__ void rmsnorm_residual(
    const uint4* __restrict__ x, const uint4* __restrict__ residual,
    const uint4* __restrict__ weight, uint4* __restrict__ y, uint4* __restrict__ residual_out,
    int tokens, int hidden, float eps) {
    __shared__ float partial[32];
    const int left = threadIdx.x, right = threadIdx.x + blockDim.x;
    const size_t row = size_t(blockIdx.x) * (hidden / 8);
    const uint4 x0 = __ldcs(x + row + left), x1 = __ldcs(x + row + right);
    const uint4 r0 = __ldcs(residual + row + left), r1 = __ldcs(residual + row + right);
    const uint4 w0 = __ldg(weight + left), w1 = __ldg(weight + right);
    float squares = 0.0f;
    const uint4 h0 = add(x0, r0, squares), h1 = add(x1, r1, squares);
    __stcs(residual_out + row + left, h0);
    __stcs(residual_out + row + right, h1);
    const float root = rsqrtf(sum_of_block(squares, partial) / hidden + eps);
    __stcs(y + row + left, scale(h0, w0, root));
    __stcs(y + row + right, scale(h1, w1, root));
}
