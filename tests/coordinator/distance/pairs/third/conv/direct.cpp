#include <cstdint>

// y[o, i, j] = sum over c, p, q of x[c, i + p, j + q] * w[o, c, p, q], no padding.
extern "C" void run(const float* x, const float* w, float* y, int64_t C, int64_t H, int64_t W, int64_t O,
                    int64_t P, int64_t Q) {
  const int64_t HO = H - P + 1, WO = W - Q + 1;
#pragma omp parallel for schedule(static)
  for (int64_t o = 0; o < O; ++o) {
    float* out = y + o * HO * WO;
    for (int64_t i = 0; i < HO * WO; ++i) out[i] = 0.0f;
    for (int64_t c = 0; c < C; ++c)
      for (int64_t p = 0; p < P; ++p)
        for (int64_t q = 0; q < Q; ++q) {
          const float weight = w[((o * C + c) * P + p) * Q + q];
          for (int64_t i = 0; i < HO; ++i) {
            const float* in = x + (c * H + i + p) * W + q;
#pragma omp simd
            for (int64_t j = 0; j < WO; ++j) out[i * WO + j] += weight * in[j];
          }
        }
  }
}
