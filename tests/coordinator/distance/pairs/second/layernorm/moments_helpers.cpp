#include <cmath>
#include <cstdint>

// Sum and sum of squares of a row, gathered together in eight chains each.
struct Moments {
  float first[8] = {};
  float second[8] = {};

  inline void take(int chain, float v) {
    first[chain] += v;
    second[chain] = std::fma(v, v, second[chain]);
  }

  inline float total(const float (&chains)[8]) const {
    float all = 0.0f;
    for (float c : chains) all += c;
    return all;
  }
};

static void write_row(const float* __restrict in, const float* __restrict gamma, const float* __restrict beta,
                      float* __restrict out, float centre, float inverse, int64_t width) {
  const float offset = -centre * inverse;
  #pragma omp simd
  for (int64_t i = 0; i < width; ++i) {
    const float normal = in[i] * inverse + offset;
    out[i] = std::fma(normal, gamma[i], beta[i]);
  }
}

extern "C" void run(const float* in, const float* gamma, const float* beta, float* out,
                    int64_t rows, int64_t width) {
  const float scale = 1.0f / static_cast<float>(width);
  #pragma omp parallel for schedule(static, 16)
  for (int64_t r = 0; r < rows; ++r) {
    const float* source = in + r * width;
    Moments moments;
    int64_t i = 0;
    for (; i + 8 <= width; i += 8) {
      __builtin_prefetch(source + i + 64);
      for (int chain = 0; chain < 8; ++chain) moments.take(chain, source[i + chain]);
    }
    for (; i < width; ++i) moments.take(0, source[i]);
    const float centre = moments.total(moments.first) * scale;
    const float spread = moments.total(moments.second) * scale - centre * centre;
    write_row(source, gamma, beta, out + r * width, centre, std::pow(spread + 1e-5f, -0.5f), width);
  }
}
