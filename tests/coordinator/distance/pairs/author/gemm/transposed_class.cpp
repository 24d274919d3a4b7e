#include <vector>
namespace { class Buffer { public: explicit Buffer(long n) : data_(n) {} float& operator[](long i) { return data_[i]; } const float* row(long r, long w) const { return data_.data() + r * w; } private: std::vector<float> data_; }; }
extern "C" void run(const float* a, const float* b, float* c, long m, long n, long k) {
  Buffer turned(n * k);
  for (long r = 0; r < n; ++r) for (long q = 0; q < k; ++q) turned[r * k + q] = b[q * n + r];
  #pragma omp parallel for schedule(dynamic)
  for (long i = 0; i < m; ++i) for (long j = 0; j < n; ++j) { const float* x = a + i * k; const float* y = turned.row(j, k); float s = 0; for (long q = 0; q < k; ++q) s += x[q] * y[q]; c[i * n + j] = s; }
}
