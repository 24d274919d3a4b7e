#include <cmath>
#include <cstdint>

namespace {

struct State {
  float highest;
  float weight;
};

void finish(const float* row, float* out, int64_t n, const State& state) {
  const float factor = 1.0f / state.weight;
  for (int64_t j = 0; j < n; ++j) {
    out[j] = std::exp(row[j] - state.highest) * factor;
  }
}

State scan(const float* row, int64_t n) {
  State state{row[0], 0.0f};
  for (int64_t j = 0; j < n; ++j) {
    const float value = row[j];
    const float higher = std::fmax(value, state.highest);
    state.weight = state.weight * std::exp(state.highest - higher) + std::exp(value - higher);
    state.highest = higher;
  }
  return state;
}

}  // namespace

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t m = 0; m < M; ++m) {
    const State state = scan(x + m * N, N);
    finish(x + m * N, y + m * N, N, state);
  }
}
