#include <cstdint>
#include <cstring>
#define AT(i) bins[data[(i)]]
extern "C" void run(const int32_t* data, int32_t* bins, int64_t n, int64_t b) {
  memset(bins, 0, b * sizeof(int32_t));
  const int32_t* p = data; const int32_t* e = data + n;
  while (e - p >= 4) { bins[p[0]] += 1; bins[p[1]] += 1; bins[p[2]] += 1; bins[p[3]] += 1; p += 4; }
  for (; p != e; ++p) ++bins[*p];
}
