#include <cstdint>
#include <functional>
#include <numeric>
struct Metric {
  int64_t dims;
  float operator()(const float* p, const float* q) const {
    return std::inner_product(p, p + dims, q, 0.0f, std::plus<float>(), [](float a, float b) { const float t = a - b; return t * t; });
  }
};
extern "C" void run(const float* points, const float* centres, float* out, int64_t rows, int64_t cols, int64_t dims) {
  const Metric metric{dims};
#pragma omp parallel for collapse(2) schedule(static, 64)
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) out[r * cols + c] = metric(points + r * dims, centres + c * dims);
}
