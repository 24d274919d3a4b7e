#include <cstdint>
#include <numeric>
#include <functional>
namespace {
struct Channel { const float* signal; const float* taps; float* out; };
inline float at(const Channel& c, int64_t place, int64_t taps) { return std::inner_product(c.taps, c.taps + taps, c.signal + place, 0.0f); }
inline void filter(Channel c, int64_t places, int64_t taps) { for (int64_t p = places; p-- > 0;) c.out[p] = at(c, p, taps); }
}
extern "C" void run(const float* signals, const float* filters, float* out, int64_t channels, int64_t length, int64_t taps) {
  const int64_t places = length - taps + 1;
  #pragma omp parallel for schedule(dynamic, 1)
  for (int64_t c = 0; c < channels; ++c) filter(Channel{signals + c * length, filters + c * taps, out + c * places}, places, taps);
}
