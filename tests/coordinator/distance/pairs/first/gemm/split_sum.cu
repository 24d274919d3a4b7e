// Idea: split K in four, so that small M still fills the machine: four partial products in float32
// go to scratch memory, a second kernel adds and rounds them.
// Predicted: up to twice the library's rate where M is at most 256; slower at large M, where the
// partial products cost 32 bytes of traffic per result.

#include <stdint.h>

constexpr int BM = 128, BN = 256, BK = 64, STAGES = 4;
constexpr int STAGE_BYTES = (BM + BN) * BK * 2;

__device__ __forceinline__ void copy16(uint32_t to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

__device__ __forceinline__ void load_matrices(uint32_t (&r)[4], uint32_t from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}

__device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// 16-byte chunk `chunk` of row `row` of a tile with 128-byte rows. The exclusive or spreads the
// eight rows that ldmatrix reads together over all banks.
__device__ __forceinline__ uint32_t swizzled(uint32_t tile, int row, int chunk) {
    return tile + row * 128 + ((chunk ^ (row & 7)) << 4);
}

// Fetch one K block of both operands; rows past M read the last row again.
__device__ __forceinline__ void fetch(uint32_t stage, const uint16_t* a, const uint16_t* b, int row0,
                                      int column0, int k0, int M, int K) {
#pragma unroll
    for (int i = 0; i < BM * 8 / 256; ++i) {
        const int at = threadIdx.x + 256 * i, row = at / 8, chunk = at % 8;
        copy16(swizzled(stage, row, chunk), a + size_t(min(row0 + row, M - 1)) * K + k0 + 8 * chunk);
    }
#pragma unroll
    for (int i = 0; i < BN * 8 / 256; ++i) {
        const int at = threadIdx.x + 256 * i, row = at / 8, chunk = at % 8;
        copy16(swizzled(stage + BM * 128, row, chunk), b + size_t(column0 + row) * K + k0 + 8 * chunk);
    }
}

// The products of one K block: a warp owns 64 x 64 of the tile.
__device__ __forceinline__ void multiply_stage(float (&total)[4][8][4], uint32_t stage, int warp_m,
                                               int warp_n, int lane) {
#pragma unroll
    for (int k = 0; k < BK / 16; ++k) {
        uint32_t left[4][4], right[4][4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            load_matrices(left[i], swizzled(stage, warp_m + 16 * i + lane % 16, 2 * k + lane / 16));
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int column = warp_n + 16 * j + lane % 8 + lane / 16 * 8;
            load_matrices(right[j], swizzled(stage + BM * 128, column, 2 * k + lane / 8 % 2));
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                multiply(total[i][j], left[i], right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]);
            }
        }
    }
}

// The pipelined loop over K blocks [first, last).
__device__ __forceinline__ void sum_products(float (&total)[4][8][4], uint32_t ring, const uint16_t* a,
                                             const uint16_t* b, int row0, int column0, int first,
                                             int last, int M, int K) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        const int block = first + stage;
        if (block < last) fetch(ring + stage * STAGE_BYTES, a, b, row0, column0, block * BK, M, K);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int block = first; block < last; ++block) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        // Everybody's part of this stage has arrived, and everybody is done with the stage before.
        __syncthreads();
        const int next = block + STAGES - 1;
        const int into = (next - first) % STAGES, from = (block - first) % STAGES;
        if (next < last) fetch(ring + into * STAGE_BYTES, a, b, row0, column0, next * BK, M, K);
        asm volatile("cp.async.commit_group;" ::: "memory");
        multiply_stage(total, ring + from * STAGE_BYTES, warp / 4 * 64, warp % 4 * 64, lane);
    }
}

// Launch: (N / 256, M / 128 rounded up, 4) blocks of 256 threads.
extern "C" __global__ void __launch_bounds__(256, 1)
    partial_products(const uint16_t* __restrict__ a, const uint16_t* __restrict__ b,
                     float2* __restrict__ partials, int M, int N, int K) {
    extern __shared__ __align__(128) uint8_t memory[];
    const uint32_t ring = static_cast<uint32_t>(__cvta_generic_to_shared(memory));
    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN, part = K / BK / gridDim.z;
    float total[4][8][4] = {};
    sum_products(total, ring, a, b, row0, column0, blockIdx.z * part, (blockIdx.z + 1) * part, M, K);

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = row0 + warp / 4 * 64 + 16 * i + 8 * half + lane / 4;
            if (row >= M) continue;
            const int column = column0 + warp % 4 * 64 + lane % 4 * 2;
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                const size_t at = (size_t(blockIdx.z) * M + row) * N + column + 8 * j;
                partials[at / 2] = make_float2(total[i][j][2 * half], total[i][j][2 * half + 1]);
            }
        }
    }
}

// Launch: M N / 1024 blocks of 256 threads, four results each, after `partial_products`.
extern "C" __global__ void add_partials(const float4* __restrict__ partials, uint2* __restrict__ c,
                                        int M, int N) {
    const size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x, plane = size_t(M) * N / 4;
    float4 sum = partials[at];
#pragma unroll
    for (int part = 1; part < 4; ++part) {
        const float4 more = partials[at + part * plane];
        sum.x += more.x, sum.y += more.y, sum.z += more.z, sum.w += more.w;
    }
    uint2 out;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out.x) : "f"(sum.y), "f"(sum.x));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out.y) : "f"(sum.w), "f"(sum.z));
    c[at] = out;
}
