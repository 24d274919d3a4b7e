#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
template <int N> struct Registers {
    float slot[N];
    template <class F> __device__ __forceinline__ void each(F f) {
#pragma unroll
        for (int i = 0; i < N; ++i) f(slot[i], i);
    }
};
extern "C" __global__ void softmax(const float* __restrict__ logits, float* __restrict__ probs, int rows, int width) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
    if (row >= rows) return;
    const float* source = logits + size_t(row) * width;
    float* target = probs + size_t(row) * width;
    Registers<32> cache;
    float peak = -INFINITY;
    cache.each([&](float& v, int i) {
        const int c = i * 32 + tile.thread_rank();
        v = c < width ? __ldg(source + c) : -INFINITY;
        peak = v > peak ? v : peak;
    });
    peak = cg::reduce(tile, peak, cg::greater<float>());
    float mass = 0.f;
    cache.each([&](float& v, int) { v = exp2f((v - peak) * 1.4426950f); mass += v; });
    mass = cg::reduce(tile, mass, cg::plus<float>());
    const float scale = __frcp_rn(mass);
    cache.each([&](float& v, int i) {
        const int c = i * 32 + tile.thread_rank();
        if (c < width) __stcs(target + c, v * scale);
    });
}
