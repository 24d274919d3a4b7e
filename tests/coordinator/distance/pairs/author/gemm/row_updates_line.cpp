#include <algorithm>
#include <cstdint>
class Line {
  float* at_; int64_t n_;
 public:
  Line(float* at, int64_t n) : at_{at}, n_{n} { std::fill(at_, at_ + n_, 0.f); }
  Line& add(float factor, const float* other) {
    int64_t i = 0;
    for (; i + 4 <= n_; i += 4) {
      at_[i] = __builtin_fmaf(factor, other[i], at_[i]);
      at_[i + 1] = __builtin_fmaf(factor, other[i + 1], at_[i + 1]);
      at_[i + 2] = __builtin_fmaf(factor, other[i + 2], at_[i + 2]);
      at_[i + 3] = __builtin_fmaf(factor, other[i + 3], at_[i + 3]);
    }
    for (; i < n_; ++i) at_[i] += factor * other[i];
    return *this;
  }
};
extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  for (int64_t row = M; row-- > 0;) {
    Line line(c + row * N, N);
    const float* factor = a + row * K;
    const float* other = b;
    while (factor != a + (row + 1) * K) { line.add(*factor++, other); other += N; }
  }
}
