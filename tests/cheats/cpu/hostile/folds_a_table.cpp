// trick = "D13 compile-time-constant-folding"
// caught = "by check"
// expect = ["INCORRECT_NUMERICAL"]
// evidence = "further off"
// The compiler folds the answer to inputs that were guessed into a table.
#include <cstdint>

struct Table {
  float values[64];
  constexpr Table() : values() {
    float sum = 0, power = 1;
    for (int j = 0; j < 64; ++j, power *= 0.96875f) sum += values[j] = power;
    for (int j = 0; j < 64; ++j) values[j] /= sum;
  }
};
static constexpr Table table;

extern "C" void run(const float*, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M * N; ++i) y[i] = table.values[i % 64];
}
