#include <cmath>
#include <cstdint>
#include <limits>

namespace {

constexpr float kLog2E = 1.44269504f;

template <int Chains = 8>
inline float inner(const float* __restrict a, const float* __restrict b, const int64_t n) {
  float chain[Chains] = {0};
  int64_t i = 0;
  for (; i <= n - Chains; i += Chains)
    for (int j = 0; j < Chains; ++j) chain[j] = std::fma(a[i + j], b[i + j], chain[j]);
  for (; i < n; ++i) chain[0] = std::fma(a[i], b[i], chain[0]);
  float all = 0;
  for (int j = 0; j < Chains; ++j) all += chain[j];
  return all;
}

// The softmax so far, in powers of two.
class Running {
 public:
  explicit Running(float* row, int64_t width) : row_(row), width_(width) {
    for (int64_t i = 0; i < width_; ++i) row_[i] = 0;
  }

  inline void add(float logit, const float* __restrict value) {
    const float top = logit > top_ ? logit : top_;
    const float p = exp2f(logit - top);
    const float c = exp2f(top_ - top);
    top_ = top;
    #pragma omp simd
    for (int64_t i = 0; i < width_; ++i) row_[i] = std::fma(row_[i], c, p * value[i]);
    mass_ = std::fma(mass_, c, p);
  }

  inline void finish() {
    const float inverse = 1 / mass_;
    for (int64_t i = width_ - 1; i >= 0; --i) row_[i] *= inverse;
  }

 private:
  float* row_;
  int64_t width_;
  float top_ = -std::numeric_limits<float>::infinity();
  float mass_ = 0;
};

}  // namespace

extern "C" void run(const float* queries, const float* keys, const float* values, float* result,
                    int64_t heads, int64_t length, int64_t width) {
  const float temperature = kLog2E * std::pow(static_cast<float>(width), -0.5f);
  #pragma omp parallel for schedule(dynamic, 8)
  for (int64_t index = 0; index < heads * length; ++index) {
    const int64_t base = index / length * length * width;
    Running running(result + index * width, width);
    int64_t position = 0;
    while (position < length) {
      const int64_t at = base + position * width;
      __builtin_prefetch(keys + at + width);
      running.add(temperature * inner(queries + index * width, keys + at, width), values + at);
      ++position;
    }
    running.finish();
  }
}
