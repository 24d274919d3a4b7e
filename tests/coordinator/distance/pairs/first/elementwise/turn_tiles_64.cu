#define SIDE 64
#define STEP 16
extern "C" __global__ void flipped(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
    __shared__ float buffer[SIDE * (SIDE + 1)];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int c0 = SIDE * blockIdx.x, r0 = SIDE * blockIdx.y;
#pragma unroll
    for (int i = ty; i < SIDE; i += STEP) {
        if (c0 + tx < columns && r0 + i < rows) {
            buffer[i * (SIDE + 1) + tx] = __ldcs(in + (r0 + i) * columns + c0 + tx);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = ty; i < SIDE; i += STEP) {
        if (r0 + tx < rows && c0 + i < columns) {
            out[(c0 + i) * rows + r0 + tx] = buffer[tx * (SIDE + 1) + i];
        }
    }
}
