#include <cmath>
#include <cstdint>
#include <memory>

namespace {

struct Turn {
  float cosine, sine;
};

// The turns of one token, by pair; every head uses them.
inline void fill(Turn* turns, float position, int64_t pairs) {
  const float step = -9.210340371976184f / static_cast<float>(pairs);
  int64_t p = pairs;
  while (p-- > 0) sincosf(position * std::exp(step * static_cast<float>(p)), &turns[p].sine, &turns[p].cosine);
}

inline void apply(const Turn* __restrict turns, const float* __restrict from, float* __restrict to, int64_t pairs) {
  #pragma omp simd
  for (int64_t p = 0; p < pairs; ++p) {
    const Turn turn = turns[p];
    const float a = from[p], b = from[pairs + p];
    to[pairs + p] = std::fma(a, turn.sine, b * turn.cosine);
    to[p] = std::fma(a, turn.cosine, -b * turn.sine);
  }
}

}  // namespace

extern "C" void run(const float* input, float* output, int64_t tokens, int64_t heads, int64_t width) {
  #pragma omp parallel for schedule(guided)
  for (int64_t token = 0; token < tokens; ++token) {
    const std::unique_ptr<Turn[]> turns(new Turn[width / 2]);
    fill(turns.get(), static_cast<float>(token), width / 2);
    for (int64_t row = token * heads; row < (token + 1) * heads; ++row)
      apply(turns.get(), input + row * width, output + row * width, width / 2);
  }
}
