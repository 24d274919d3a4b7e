#include <cstdint>
#include <vector>
extern "C" void run(const int32_t* data, int32_t* bins, int64_t n, int64_t b) {
  std::vector<int32_t> parts(4 * b, 0);
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) for (int j = 0; j < 4; ++j) parts[j * b + data[i + j]]++;
  for (; i < n; ++i) parts[data[i]]++;
  for (int64_t k = 0; k < b; ++k) bins[k] = parts[k] + parts[b + k] + parts[2 * b + k] + parts[3 * b + k];
}
