#define T 32
#define IN(v, end) ((v) < (end))

__device__ __forceinline__ float at(const float* matrix, int r, int rows, int q, int columns) {
    return IN(r, rows) && IN(q, columns) ? __ldg(matrix + r * columns + q) : 0.0f;
}

extern "C" __global__ void __launch_bounds__(1024)
product(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ out, int rows,
        int columns, int depth) {
    __shared__ float xs[T][T + 1];
    __shared__ float ws[T][T + 1];
    const int i = threadIdx.y, j = threadIdx.x;
    const int r = T * blockIdx.y + i;
    const int q = T * blockIdx.x + j;
    float acc = 0.f;
    int start = 0;
    while (start < depth) {
        xs[i][j] = at(x, r, rows, start + j, depth);
        ws[i][j] = at(w, start + i, depth, q, columns);
        __syncthreads();
#pragma unroll 8
        for (int p = 0; p < T; ++p) acc = fmaf(xs[i][p], ws[p][j], acc);
        __syncthreads();
        start += T;
    }
    if (IN(r, rows) && IN(q, columns)) out[r * columns + q] = acc;
}
