#include <cstdint>

#define TILE_ROWS 16
#define TILE_COLUMNS 64

namespace {

struct View {
  int64_t rows, columns;
};

template <typename T>
inline void turn(const T* __restrict from, T* __restrict to, View part, View whole) {
  int64_t r = 0;
  while (r < part.rows) {
    const T* source = from + r * whole.columns;
    T* target = to + r;
    int64_t c = 0;
    for (; c + 1 < part.columns; c += 2) {
      target[0] = source[c];
      target[whole.rows] = source[c + 1];
      target += 2 * whole.rows;
    }
    if (c < part.columns) target[0] = source[c];
    ++r;
  }
}

inline int64_t clipped(int64_t size, int64_t left) { return left < size ? left : size; }

}  // namespace

extern "C" void run(const float* matrix, float* transposed, int64_t height, int64_t width) {
  const View whole = {height, width};
  const int64_t bands = (height + TILE_ROWS - 1) / TILE_ROWS;
  #pragma omp parallel for schedule(dynamic, 2)
  for (int64_t band = 0; band < bands; ++band) {
    const int64_t top = band * TILE_ROWS;
    for (int64_t left = 0; left < width; left += TILE_COLUMNS) {
      const View part = {clipped(TILE_ROWS, height - top), clipped(TILE_COLUMNS, width - left)};
      turn(matrix + top * width + left, transposed + left * height + top, part, whole);
    }
  }
}
