#include <cstdint>
#include <cstdlib>

#define ROWS 6
#define LANES 32

// Panel-major rearrangement of the weights.
static float* rearrange(const float* weights, int64_t depth, int64_t columns, int64_t strips) {
  float* store = static_cast<float*>(std::aligned_alloc(64, sizeof(float) * strips * depth * LANES));
#pragma omp parallel for schedule(static)
  for (int64_t s = 0; s < strips; ++s) {
    float* out = store + s * depth * LANES;
    for (int64_t d = 0; d < depth; ++d) {
      for (int64_t l = 0; l < LANES; ++l) {
        const int64_t c = s * LANES + l;
        *out++ = c < columns ? weights[d * columns + c] : 0.0f;
      }
    }
  }
  return store;
}

struct Accumulator {
  alignas(64) float cell[ROWS][LANES];
  void clear() {
    for (auto& line : cell)
      for (float& value : line) value = 0.0f;
  }
  template <int COUNT>
  void consume(const float* activations, int64_t pitch, const float* strip, int64_t depth) {
    for (int64_t d = 0; d < depth; ++d) {
      const float* line = strip + d * LANES;
#pragma GCC unroll 6
      for (int r = 0; r < COUNT; ++r) {
        const float scalar = activations[r * pitch + d];
#pragma GCC ivdep
        for (int l = 0; l < LANES; ++l) cell[r][l] = __builtin_fmaf(scalar, line[l], cell[r][l]);
      }
    }
  }
  void emit(float* out, int64_t pitch, int rows, int64_t columns) const {
    for (int r = 0; r < rows; ++r)
      for (int64_t l = 0; l < LANES && l < columns; ++l) out[r * pitch + l] = cell[r][l];
  }
};

extern "C" void run(const float* x, const float* w, float* y, int64_t M, int64_t N, int64_t K) {
  const int64_t strips = (N + LANES - 1) / LANES;
  float* store = rearrange(w, K, N, strips);
#pragma omp parallel for collapse(2) schedule(guided)
  for (int64_t s = 0; s < strips; ++s) {
    for (int64_t top = 0; top < M; top += ROWS) {
      Accumulator sums;
      sums.clear();
      const float* strip = store + s * K * LANES;
      const int rows = M - top < ROWS ? int(M - top) : ROWS;
      if (rows == ROWS) {
        sums.consume<ROWS>(x + top * K, K, strip, K);
      } else {
        for (int r = 0; r < rows; ++r) {
          Accumulator one;
          one.clear();
          one.consume<1>(x + (top + r) * K, K, strip, K);
          for (int l = 0; l < LANES; ++l) sums.cell[r][l] = one.cell[0][l];
        }
      }
      sums.emit(y + top * N + s * LANES, N, rows, N - s * LANES);
    }
  }
  std::free(store);
}
