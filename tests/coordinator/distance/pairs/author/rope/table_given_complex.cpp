#include <complex>
#include <cstdint>
namespace {
using Complex = std::complex<float>;
void turn(const float* in, float* out, const float* cosines, const float* sines, int64_t half) {
  for (int64_t k = 0; k != half; ++k) {
    const Complex z = Complex(in[k], in[half + k]) * Complex(cosines[k], sines[k]);
    out[k] = z.real();
    out[half + k] = z.imag();
  }
}
}
extern "C" void run(const float* states, const float* cosines, const float* sines, float* out, int64_t tokens, int64_t heads, int64_t width) {
  #pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < tokens * heads; ++row)
    turn(states + row * width, out + row * width, cosines + row / heads * (width / 2), sines + row / heads * (width / 2), width / 2);
}
