// y = silu(gate) * up + residual
#include <cmath>
#include <cstdint>

static inline float silu(float v) { return v / (1.0f + std::exp(-v)); }

extern "C" void run(const float* gate, const float* up, const float* residual, float* y, int64_t M, int64_t N) {
  const int64_t size = M * N;
  #pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < size; ++i) y[i] = silu(gate[i]) * up[i] + residual[i];
}
