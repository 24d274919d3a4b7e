#include <cstdint>
struct Accumulator { float value = 0.f; float next(float v) { value += v; return value; } };
static void scan(const float* from, const float* end, float* to) {
  Accumulator acc;
  for (; end - from >= 4; from += 4, to += 4) { to[0] = acc.next(from[0]); to[1] = acc.next(from[1]); to[2] = acc.next(from[2]); to[3] = acc.next(from[3]); }
  while (from != end) *to++ = acc.next(*from++);
}
extern "C" void run(const float* in, float* out, int64_t rows, int64_t width) {
  #pragma omp parallel for schedule(dynamic, 16)
  for (int64_t r = 0; r < rows; ++r) scan(in + r * width, in + (r + 1) * width, out + r * width);
}
