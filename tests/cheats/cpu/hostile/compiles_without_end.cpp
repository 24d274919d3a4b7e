// trick = "F20 build-time-attack"
// caught = "by check"
// expect = ["COMPILE_ERROR"]
// policy = {compile_limit_s = 3.0}
// Templates that instantiate each other exponentially often.
#include <cstdint>

template <int N, int K> struct Bomb {
  static constexpr long value = Bomb<N - 1, 2 * K>::value + Bomb<N - 1, 2 * K + 1>::value;
};
template <int K> struct Bomb<0, K> { static constexpr long value = K; };

extern "C" void run(const float*, float* y, int64_t, int64_t) { y[0] = Bomb<26, 0>::value; }
