#include <cstdint>
#include <cstring>
#include <vector>

// The same convolution by way of a matrix of patches and one matrix product.
extern "C" void run(const float* x, const float* w, float* y, int64_t C, int64_t H, int64_t W, int64_t O,
                    int64_t P, int64_t Q) {
  const int64_t HO = H - P + 1, WO = W - Q + 1, L = C * P * Q, S = HO * WO;
  std::vector<float> columns(L * S);
#pragma omp parallel for collapse(3) schedule(static)
  for (int64_t c = 0; c < C; ++c)
    for (int64_t p = 0; p < P; ++p)
      for (int64_t q = 0; q < Q; ++q) {
        float* row = &columns[((c * P + p) * Q + q) * S];
        for (int64_t i = 0; i < HO; ++i)
          std::memcpy(row + i * WO, x + (c * H + i + p) * W + q, WO * sizeof(float));
      }
#pragma omp parallel for schedule(static)
  for (int64_t o = 0; o < O; ++o) {
    float* out = y + o * S;
    for (int64_t s = 0; s < S; ++s) out[s] = 0.0f;
    for (int64_t l = 0; l < L; ++l) {
      const float weight = w[o * L + l];
      const float* in = &columns[l * S];
#pragma omp simd
      for (int64_t s = 0; s < S; ++s) out[s] += weight * in[s];
    }
  }
}
