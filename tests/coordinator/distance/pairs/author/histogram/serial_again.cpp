#include <cstdint>
extern "C" void run(const uint8_t* x, int32_t* counts, int64_t n) {
  for (int b = 0; b < 256; ++b) counts[b] = 0;
  for (int64_t i = 0; i < n; ++i) ++counts[x[i]];
}
