#include <cstdint>
#include <numeric>
#include <thread>
struct Filter { const float* taps; int64_t count; float at(const float* p) const { float even = 0, odd = 0; int64_t k = 0; for (; k + 2 <= count; k += 2) { even += taps[k] * p[k]; odd += taps[k + 1] * p[k + 1]; } for (; k < count; k++) even += taps[k] * p[k]; return even + odd; } };
extern "C" void run(const float* signal, const float* taps, float* out, int64_t channels, int64_t length, int64_t count) {
  const int64_t wide = length - count + 1;
#pragma omp parallel for collapse(2)
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t t = 0; t < wide; ++t) *(out + channel * wide + t) = Filter{taps + channel * count, count}.at(signal + channel * length + t);
}
