template <typename T, int SIDE> struct SharedTile {
    T cells[SIDE][SIDE + 1];
    __device__ T& at(int r, int c) { return cells[r][c]; }
    __device__ void fill(const T* base, int r, int c, int rows, int cols, int pitch) {
        T value = T(0);
        if (r < rows && c < cols) value = __ldg(&base[r * pitch + c]);
        cells[threadIdx.y][threadIdx.x] = value;
    }
};
template <int SIDE>
__device__ float contract(SharedTile<float, SIDE>& p, SharedTile<float, SIDE>& q, float acc) {
#pragma unroll
    for (int d = 0; d < SIDE; d++) acc = fmaf(p.at(threadIdx.y, d), q.at(d, threadIdx.x), acc);
    return acc;
}
extern "C" __global__ void __launch_bounds__(1024) gemm(const float* __restrict__ lhs, const float* __restrict__ rhs, float* __restrict__ out, int rows, int cols, int depth) {
    constexpr int SIDE = 32;
    __shared__ SharedTile<float, SIDE> p, q;
    const int r = blockIdx.y * SIDE + threadIdx.y, c = blockIdx.x * SIDE + threadIdx.x;
    float acc = 0.f;
    int done = 0;
    do {
        p.fill(lhs, r, done + threadIdx.x, rows, depth, depth);
        q.fill(rhs, done + threadIdx.y, c, depth, cols, cols);
        __syncthreads();
        acc = contract<SIDE>(p, q, acc);
        __syncthreads();
        done += SIDE;
    } while (done < depth);
    if (r >= rows || c >= cols) return;
    out[r * cols + c] = acc;
}
