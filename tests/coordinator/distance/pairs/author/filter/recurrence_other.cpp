#include <cstdint>
#include <vector>
extern "C" void run(const float* x, float* y, int64_t M, int64_t N, float a) {
  std::vector<float> state(M, 0.0f);
  for (int64_t i = 0; i < N; ++i)
    for (int64_t r = 0; r < M; ++r) {
      state[r] = a * state[r] + (1.0f - a) * x[r * N + i];
      y[r * N + i] = state[r];
    }
}
