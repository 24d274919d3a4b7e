#define THREADS 512
#define BARRIER() __syncthreads()

__device__ float tree_sum(float* memory, float mine) {
    memory[threadIdx.x] = mine;
    BARRIER();
#pragma unroll
    for (int half = THREADS / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) memory[threadIdx.x] += memory[threadIdx.x + half];
        BARRIER();
    }
    return memory[0];
}

__device__ float tree_max(float* memory, float mine) {
    memory[threadIdx.x] = mine;
    BARRIER();
#pragma unroll
    for (int half = THREADS / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) memory[threadIdx.x] = fmaxf(memory[threadIdx.x], memory[threadIdx.x + half]);
        BARRIER();
    }
    return memory[0];
}

// Rows by blocks: highest value, total of the powers, quotient.
extern "C" __global__ void rows(const float* __restrict__ in, float* __restrict__ out, int width) {
    __shared__ float scratch[THREADS];
    in += (size_t)blockIdx.x * width;
    out += (size_t)blockIdx.x * width;
    float high = -3e38f;
    for (int at = threadIdx.x; at < width; at += THREADS) high = fmaxf(high, __ldg(in + at));
    high = tree_max(scratch, high);
    BARRIER();
    float total = 0.0f;
    for (int at = threadIdx.x; at < width; at += THREADS) total += __expf(in[at] - high);
    total = tree_sum(scratch, total);
    for (int at = threadIdx.x; at < width; at += THREADS) out[at] = __fdividef(__expf(in[at] - high), total);
}
