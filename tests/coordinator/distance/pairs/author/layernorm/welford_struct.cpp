#include <cmath>
struct Welford { float mean = 0.f, m2 = 0.f; long count = 0;
  void push(float v) { ++count; const float delta = v - mean; mean = mean + delta / count; m2 = std::fma(delta, v - mean, m2); }
  float inverse() const { return std::pow(m2 / count + 1e-5f, -0.5f); } };
extern "C" void run(const float* in, float* out, long rows, long cols) {
  const float* row = in; float* to = out;
  for (long left = rows; left > 0; --left, row += cols, to += cols) {
    Welford w;
    for (const float* p = row; p != row + cols; ++p) w.push(*p);
    const float s = w.inverse(), shift = -w.mean * s;
    for (long i = 0; i < cols; ++i) to[i] = std::fma(row[i], s, shift);
  }
}
