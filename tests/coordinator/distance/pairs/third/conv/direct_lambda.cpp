// Stencil calculus: a convolution is a weighted superposition of shifted images.
#include <cmath>
#include <cstdint>
#include <cstring>

struct Image {
  const float* __restrict__ pixels;
  int64_t height, width;
  const float* line(int64_t channel, int64_t y, int64_t x) const {
    return pixels + channel * height * width + y * width + x;
  }
};

struct Shift {
  int64_t channel, down, right;
  float weight;
};

template <class Visit>
static inline void each_shift(const float* kernel, int64_t channels, int64_t rows, int64_t columns, Visit&& visit) {
  const int64_t count = channels * rows * columns;
  for (int64_t n = 0; n < count; ++n) {
    const int64_t channel = n / (rows * columns);
    const int64_t rest = n - channel * rows * columns;
    visit(Shift{channel, rest / columns, rest % columns, kernel[n]});
  }
}

static inline void superpose(float* __restrict__ canvas, const float* __restrict__ line, float weight,
                             int64_t width) {
  int64_t j = 0;
#pragma GCC ivdep
  for (; j + 8 <= width; j += 8)
    for (int64_t l = 0; l < 8; ++l) canvas[j + l] = std::fma(weight, line[j + l], canvas[j + l]);
  for (; j < width; ++j) canvas[j] = std::fma(weight, line[j], canvas[j]);
}

extern "C" void run(const float* input, const float* filters, float* output, int64_t C, int64_t H, int64_t W,
                    int64_t O, int64_t P, int64_t Q) {
  const Image image{input, H, W};
  const int64_t rows = H - (P - 1), columns = W - (Q - 1);
#pragma omp parallel for schedule(dynamic, 1)
  for (int64_t filter = 0; filter < O; ++filter) {
    float* canvas = output + filter * rows * columns;
    std::memset(canvas, 0, sizeof(float) * rows * columns);
    each_shift(filters + filter * C * P * Q, C, P, Q, [&](const Shift& shift) {
      for (int64_t line = 0; line < rows; ++line)
        superpose(canvas + line * columns, image.line(shift.channel, line + shift.down, shift.right), shift.weight,
                  columns);
    });
  }
}
