#include <cstdint>
#include <vector>
extern "C" void run(const int32_t* data, int32_t* bins, int64_t n, int64_t b) {
  for (int64_t i = 0; i < b; ++i) bins[i] = 0;
  for (int64_t i = 0; i < n; ++i) bins[data[i]]++;
}
