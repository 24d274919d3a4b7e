// One warp per query; keys one after another with a running maximum.
extern "C" __global__ void attend(const float* q, const float* k, const float* v, float* out, int S, float scale) {
    const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t head = (size_t)blockIdx.y * S * 64;
    if (row >= S) return;
    const float q0 = q[head + row * 64 + lane], q1 = q[head + row * 64 + 32 + lane];
    float top = -3e38f, total = 0.0f, a0 = 0.0f, a1 = 0.0f;
    for (int key = 0; key < S; ++key) {
        float score = q0 * k[head + key * 64 + lane] + q1 * k[head + key * 64 + 32 + lane];
        for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(~0u, score, step);
        score *= scale;
        const float grown = fmaxf(top, score), shrink = __expf(top - grown), power = __expf(score - grown);
        total = total * shrink + power;
        a0 = a0 * shrink + power * v[head + key * 64 + lane];
        a1 = a1 * shrink + power * v[head + key * 64 + 32 + lane];
        top = grown;
    }
    out[head + row * 64 + lane] = a0 / total;
    out[head + row * 64 + 32 + lane] = a1 / total;
}
