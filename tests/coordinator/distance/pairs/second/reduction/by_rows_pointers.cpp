#include <cstdint>
#include <cstring>

// Adds one row to the totals, eight columns in a step.
static inline void accumulate(const float* __restrict__ row, float* __restrict__ totals, int64_t columns) {
  const float* const end = row + columns;
  while (end - row >= 8) {
    __builtin_prefetch(row + 64, 0, 0);
    #pragma GCC unroll 8
    for (int c = 0; c < 8; c++) totals[c] = totals[c] + row[c];
    row += 8;
    totals += 8;
  }
  while (row != end) *totals++ += *row++;
}

extern "C" void run(const float* matrix, float* totals, int64_t rows, int64_t columns) {
  memset(totals, 0, static_cast<size_t>(columns) * sizeof(float));
  const float* row = matrix;
  int64_t left = rows;
  while (left-- > 0) {
    accumulate(row, totals, columns);
    row += columns;
  }
}
