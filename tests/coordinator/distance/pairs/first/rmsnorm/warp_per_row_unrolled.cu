// Idea: one warp owns a held (two where it has 8192 values) and keeps it in registers, so the sum
// needs five shuffles and no barrier; a finished warp never waits for a neighbour.
// Predicted: fastest where there are few rows, since none waits at a barrier; level with one block
// per held elsewhere.

__device__ __forceinline__ float lower_half(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float upper_half(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

__device__ __forceinline__ unsigned join(float first, float second) {
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}

// One pair of bf16 values: the rounded sum, whose energy go into `energy`.
__device__ __forceinline__ unsigned sum_pair(unsigned a, unsigned b, float& energy) {
    const unsigned sum = join(lower_half(a) + lower_half(b), upper_half(a) + upper_half(b));
    energy = fmaf(lower_half(sum), lower_half(sum), energy);
    energy = fmaf(upper_half(sum), upper_half(sum), energy);
    return sum;
}

__device__ __forceinline__ uint4 sum_pair(uint4 a, uint4 b, float& energy) {
    return make_uint4(sum_pair(a.x, b.x, energy), sum_pair(a.y, b.y, energy), sum_pair(a.z, b.z, energy),
                      sum_pair(a.w, b.w, energy));
}

__device__ __forceinline__ unsigned apply(unsigned pair, unsigned weight, float norm) {
    return join(lower_half(pair) * norm * lower_half(weight), upper_half(pair) * norm * upper_half(weight));
}

__device__ __forceinline__ uint4 apply(uint4 v, uint4 w, float norm) {
    return make_uint4(apply(v.x, w.x, norm), apply(v.y, w.y, norm), apply(v.z, w.z, norm),
                      apply(v.w, w.w, norm));
}

__device__ __forceinline__ float warp_total(float value) {
    value += __shfl_xor_sync(0xffffffffu, value, 16);
    value += __shfl_xor_sync(0xffffffffu, value, 8);
    value += __shfl_xor_sync(0xffffffffu, value, 4);
    value += __shfl_xor_sync(0xffffffffu, value, 2);
    value += __shfl_xor_sync(0xffffffffu, value, 1);
    return value;
}

// Launch: tokens blocks of hidden / 128 threads, so a block is one warp for 4096 and two for 8192.
constexpr int PER_LANE = 16;

extern "C" __global__ void __launch_bounds__(64) rmsnorm_residual(
    const uint4* __restrict__ x, const uint4* __restrict__ residual,
    const uint4* __restrict__ weight, uint4* __restrict__ y, uint4* __restrict__ residual_out,
    int tokens, int hidden, float eps) {
    __shared__ float halves[2];
    const size_t origin = size_t(blockIdx.x) * (hidden / 8) + threadIdx.x;
    uint4 held[PER_LANE];
    float energy = 0.0f;
#pragma unroll
    for (int i = 0; i < PER_LANE; i += 2) {
        uint4 a[2], b[2];
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            a[j] = __ldg(x + origin + blockDim.x * (i + j));
            b[j] = __ldg(residual + origin + blockDim.x * (i + j));
        }
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            held[i + j] = sum_pair(a[j], b[j], energy);
            __stcs(residual_out + origin + blockDim.x * (i + j), held[i + j]);
        }
    }
    float sum = warp_total(energy);
    if (blockDim.x > 32) {
        if (threadIdx.x % 32 == 0) halves[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = halves[0] + halves[1];
    }
    const float norm = rsqrtf(sum / hidden + eps);
#pragma unroll
    for (int i = 0; i < PER_LANE; ++i) {
        const uint4 w = __ldg(weight + threadIdx.x + blockDim.x * i);
        __stcs(y + origin + blockDim.x * i, apply(held[i], w, norm));
    }
}
