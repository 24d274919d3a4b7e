#include <algorithm>
#include <cstdint>
#include <vector>
extern "C" void run(const uint8_t* x, int32_t* counts, int64_t n) {
  std::vector<uint8_t> sorted(x, x + n);
  std::sort(sorted.begin(), sorted.end());
  for (int b = 0; b < 256; ++b)
    counts[b] = std::upper_bound(sorted.begin(), sorted.end(), b) - std::lower_bound(sorted.begin(), sorted.end(), b);
}
