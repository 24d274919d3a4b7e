// Idea: one warp owns a row (two where it has 8192 values) and keeps it in registers, so the sum
// needs five shuffles and no barrier; a finished warp never waits for a neighbour.
// Predicted: fastest where there are few rows, since none waits at a barrier; level with one block
// per row elsewhere.

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

// Launch: tokens blocks of hidden / 128 threads, so a block is one warp for 4096 and two for 8192.
constexpr int VECTORS = 16;

extern "C" __global__ void __launch_bounds__(64) rmsnorm_residual(
    const uint4* __restrict__ x, const uint4* __restrict__ residual,
    const uint4* __restrict__ weight, uint4* __restrict__ y, uint4* __restrict__ residual_out,
    int tokens, int hidden, float eps) {
    __shared__ float partial[2];
    const size_t start = size_t(blockIdx.x) * (hidden / 8) + threadIdx.x;
    uint4 row[VECTORS];
    float squares = 0.0f;
#pragma unroll
    for (int i = 0; i < VECTORS; i += 4) {
        uint4 a[4], b[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            a[j] = __ldcs(x + start + blockDim.x * (i + j));
            b[j] = __ldcs(residual + start + blockDim.x * (i + j));
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            row[i + j] = add(a[j], b[j], squares);
            __stcs(residual_out + start + blockDim.x * (i + j), row[i + j]);
        }
    }
    float sum = sum_of_warp(squares);
    if (blockDim.x > 32) {
        if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = partial[0] + partial[1];
    }
    const float root = rsqrtf(sum / hidden + eps);
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
        const uint4 w = __ldg(weight + threadIdx.x + blockDim.x * i);
        __stcs(y + start + blockDim.x * i, scale(row[i], w, root));
    }
}
