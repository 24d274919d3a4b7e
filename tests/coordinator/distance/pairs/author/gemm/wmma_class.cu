#include <cuda_bf16.h>
#include <mma.h>
namespace w = nvcuda::wmma;
using bf16 = __nv_bfloat16;
template <int ROWS, int COLS>
struct WarpTile {
    w::fragment<w::accumulator, 16, 16, 16, float> acc[ROWS][COLS];
    __device__ WarpTile() {
        for (int r = 0; r < ROWS; ++r)
            for (int c = 0; c < COLS; ++c) w::fill_fragment(acc[r][c], 0.f);
    }
    __device__ void step(const bf16* p, const bf16* q, int pitch) {
        w::fragment<w::matrix_b, 16, 16, 16, bf16, w::col_major> right[COLS];
#pragma unroll
        for (int c = 0; c < COLS; ++c) w::load_matrix_sync(right[c], q + c * 16 * pitch, pitch);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            w::fragment<w::matrix_a, 16, 16, 16, bf16, w::row_major> left;
            w::load_matrix_sync(left, p + r * 16 * pitch, pitch);
#pragma unroll
            for (int c = 0; c < COLS; ++c) w::mma_sync(acc[r][c], left, right[c], acc[r][c]);
        }
    }
    __device__ void emit(float* to, int pitch) {
        for (int r = 0; r < ROWS; ++r)
            for (int c = 0; c < COLS; ++c) w::store_matrix_sync(to + r * 16 * pitch + c * 16, acc[r][c], pitch, w::mem_row_major);
    }
};
__device__ void bring(bf16* to, const bf16* from, int rows, int first, int pitch, int k0) {
    for (int v = threadIdx.x; v < 128 * 8; v += 256) {
        const int r = v >> 3, c = (v & 7) << 3;
        *(uint4*)(to + r * 72 + c) = *(const uint4*)(from + size_t(min(first + r, rows - 1)) * pitch + k0 + c);
    }
}
extern "C" __global__ void __launch_bounds__(256) gemm(const bf16* __restrict__ A, const bf16* __restrict__ B, bf16* __restrict__ C, int M, int N, int K) {
    __shared__ __align__(32) bf16 sa[128 * 72], sb[128 * 72];
    __shared__ __align__(32) float sc[128 * 128];
    const int warp = threadIdx.x >> 5, wr = (warp >> 1) * 32, wc = (warp & 1) * 64;
    WarpTile<2, 4> tile;
    for (int k0 = 0; k0 < K; k0 += 64) {
        bring(sa, A, M, blockIdx.y * 128, K, k0);
        bring(sb, B, N, blockIdx.x * 128, K, k0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 64; k += 16) tile.step(sa + wr * 72 + k, sb + wc * 72 + k, 72);
        __syncthreads();
    }
    tile.emit(sc + wr * 128 + wc, 128);
    __syncthreads();
    for (int i = threadIdx.x; i < 128 * 128; i += 256) {
        const int r = blockIdx.y * 128 + (i >> 7), c = blockIdx.x * 128 + (i & 127);
        if (r < M) C[size_t(r) * N + c] = __float2bfloat16(sc[i]);
    }
}
