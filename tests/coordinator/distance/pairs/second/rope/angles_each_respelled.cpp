#include <cmath>
#include <cstdint>

namespace {

constexpr float kLogBase = 9.210340371976184f;  // log(10000)

// Turns the point (*a, *b) of the plane and writes it to (*to_a, *to_b).
inline void turn(float a, float b, float angle, float* to_a, float* to_b) {
  float sine, cosine;
  sincosf(angle, &sine, &cosine);
  *to_b = std::fma(a, sine, b * cosine);
  *to_a = std::fma(a, cosine, -(b * sine));
}

inline float frequency(int64_t pair, float step) { return std::exp(step * static_cast<float>(pair)); }

}  // namespace

extern "C" void run(const float* input, float* output, int64_t tokens, int64_t heads, int64_t width) {
  const int64_t pairs = width >> 1;
  const float step = -kLogBase / static_cast<float>(pairs);
  #pragma omp parallel for schedule(dynamic, 1)
  for (int64_t token = 0; token < tokens; ++token) {
    int64_t offset = token * heads * width;
    int64_t head = 0;
    while (head < heads) {
      const float* __restrict lower = input + offset;
      const float* __restrict upper = lower + pairs;
      float* __restrict to = output + offset;
      #pragma GCC unroll 4
      for (int64_t pair = 0; pair < pairs; ++pair)
        turn(lower[pair], upper[pair], static_cast<float>(token) * frequency(pair, step), to + pair, to + pairs + pair);
      offset += width;
      ++head;
    }
  }
}
