#include <cstdint>

static inline float column_product(const float* row, const float* column, int64_t depth, int64_t step) {
  float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int64_t p = 0;
  for (; p + 4 <= depth; p += 4) {
    s0 += row[p] * column[p * step];
    s1 += row[p + 1] * column[(p + 1) * step];
    s2 += row[p + 2] * column[(p + 2) * step];
    s3 += row[p + 3] * column[(p + 3) * step];
  }
  for (; p < depth; ++p) s0 += row[p] * column[p * step];
  return (s0 + s1) + (s2 + s3);
}

extern "C" void run(const float* left, const float* right, float* out, int64_t rows, int64_t columns,
                    int64_t depth) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t q = 0; q < columns; ++q)
      out[r * columns + q] = column_product(left + r * depth, right + q, depth, columns);
}
