// Cached trigonometry service plus a rotation routine; fully object-oriented.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

class Trigonometry {
 public:
  Trigonometry(int64_t positions, int64_t bands) : bands_(bands), store_(new float[2 * positions * bands]) {
    std::unique_ptr<float[]> frequency(new float[bands]);
    int64_t b = 0;
    while (b < bands) {
      frequency[b] = std::exp2(-13.287712379549449f * static_cast<float>(b) / static_cast<float>(bands));
      ++b;
    }
    float* store = store_.get();
    const float* f = frequency.get();
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < positions; ++p) {
      float* line = store + 2 * p * bands;
      for (int64_t k = 0; k < bands; ++k) {
        const float phase = static_cast<float>(p) * f[k];
        line[k] = std::cos(phase);
        line[k + bands] = std::sin(phase);
      }
    }
  }
  const float* real(int64_t position) const { return store_.get() + 2 * position * bands_; }
  const float* imaginary(int64_t position) const { return real(position) + bands_; }

 private:
  int64_t bands_;
  std::unique_ptr<float[]> store_;
};

static inline void rotate(const float* __restrict__ a, float* __restrict__ b, const float* __restrict__ re,
                          const float* __restrict__ im, int64_t bands) {
  const float* __restrict__ a2 = a + bands;
  float* __restrict__ b2 = b + bands;
#pragma omp simd
  for (int64_t k = 0; k < bands; ++k) {
    const float u = a[k], v = a2[k];
    b[k] = std::fma(u, re[k], -v * im[k]);
    b2[k] = std::fma(v, re[k], u * im[k]);
  }
}

extern "C" void run(const float* x, float* y, int64_t T, int64_t H, int64_t D) {
  const Trigonometry table(T, D / 2);
#pragma omp parallel for schedule(dynamic, 16)
  for (int64_t position = 0; position < T; ++position) {
    for (int64_t head = 0; head < H; ++head) {
      const int64_t at = (position * H + head) * D;
      rotate(x + at, y + at, table.real(position), table.imaginary(position), D / 2);
    }
  }
}
