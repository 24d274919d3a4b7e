#include <cstdint>
template <int64_t SIDE> struct Tiler {
  int64_t rows, cols;
  template <typename Visit> void each(Visit visit) const {
#pragma omp parallel for collapse(2) schedule(dynamic)
    for (int64_t top = 0; top < rows; top += SIDE)
      for (int64_t left = 0; left < cols; left += SIDE) visit(top, left, top + SIDE < rows ? SIDE : rows - top, left + SIDE < cols ? SIDE : cols - left);
  }
};
extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  Tiler<64>{M, N}.each([=](int64_t top, int64_t left, int64_t tall, int64_t wide) {
    const float* from = x + top * N + left;
    float* to = y + left * M + top;
    for (int64_t j = 0; j < tall; ++j, from += N, ++to)
      for (int64_t i = 0; i < wide; ++i) to[i * M] = from[i];
  });
}
