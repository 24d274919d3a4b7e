// One block per row; maximum and sum by a tree in shared memory, the row read three times.
extern "C" __global__ void softmax(const float* x, float* y, int N) {
    __shared__ float part[256];
    const float* row = x + (size_t)blockIdx.x * N;
    float* out = y + (size_t)blockIdx.x * N;
    float top = -3e38f;
    for (int i = threadIdx.x; i < N; i += 256) top = fmaxf(top, row[i]);
    part[threadIdx.x] = top;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + step]);
        __syncthreads();
    }
    top = part[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.x; i < N; i += 256) sum += __expf(row[i] - top);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    const float inverse = 1.0f / part[0];
    for (int i = threadIdx.x; i < N; i += 256) out[i] = __expf(row[i] - top) * inverse;
}
