namespace { struct Grid { const float* p; long w; float operator()(long i, long j) const { return p[i * w + j]; } };
inline float around(const Grid& g, long i, long j) { return g(i, j) + g(i - 1, j) + g(i + 1, j) + g(i, j - 1) + g(i, j + 1); }
template <typename F> void rows(long h, F&& f) {
  #pragma omp parallel for schedule(static, 8)
  for (long i = 1; i + 1 < h; i++) f(i); } }
extern "C" void run(const float* input, float* output, long height, long width) {
  const Grid g{input, width};
  rows(height, [&](long i) { long j = 1; while (j < width - 1) { output[i * width + j] = around(g, i, j) / 5.0f; j++; } });
}
