#include <memory>
#include <cstdlib>
namespace { struct Mat { float* p; long rows, cols; float& at(long r, long c) const { return p[r * cols + c]; } };
void transpose(const float* from, Mat to) { for (long r = 0; r < to.rows; r++) for (long c = 0; c < to.cols; c++) to.at(r, c) = from[c * to.rows + r]; }
float dot(const float* __restrict a, const float* __restrict b, long n) { float s[8] = {}; long k = 0; for (; k + 8 <= n; k += 8) for (int l = 0; l < 8; ++l) s[l] += a[k + l] * b[k + l]; float t = 0; for (float v : s) t += v; for (; k < n; ++k) t += a[k] * b[k]; return t; } }
extern "C" void run(const float* a, const float* b, float* c, long m, long n, long k) {
  float* buffer = static_cast<float*>(std::malloc(sizeof(float) * n * k));
  transpose(b, Mat{buffer, n, k});
  #pragma omp parallel for schedule(dynamic)
  for (long ij = 0; ij < m * n; ++ij) c[ij] = dot(a + ij / n * k, buffer + ij % n * k, k);
  std::free(buffer);
}
