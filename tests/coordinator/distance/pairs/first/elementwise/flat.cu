// silu(gate) * up, one thread per element.
extern "C" __global__ void gated(const float* gate, const float* up, float* y, int count) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) y[at] = gate[at] / (1.0f + __expf(-gate[at])) * up[at];
}
