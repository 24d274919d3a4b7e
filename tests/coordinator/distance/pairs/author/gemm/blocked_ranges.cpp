#include <cstdint>
#include <cstring>
namespace {
struct Range { int64_t begin, end; int64_t size() const { return end - begin; } };
struct Blocks { int64_t total, step; int64_t count() const { return (total + step - 1) / step; } Range operator[](int64_t i) const { const int64_t b = i * step, e = b + step; return {b, e < total ? e : total}; } };
template <int U> inline void scaled_add(float* __restrict to, const float* __restrict from, float s, int64_t n) {
  int64_t j = 0;
  for (; j <= n - U; j += U)
    #pragma GCC unroll 16
    for (int u = 0; u < U; ++u) to[j + u] += s * from[j + u];
  for (; j < n; ++j) to[j] += s * from[j];
}
}
extern "C" void run(const float* lhs, const float* rhs, float* out, int64_t m, int64_t n, int64_t k) {
  const Blocks rows{m, 48}, columns{n, 256}, depths{k, 128};
  memset(out, 0, m * n * sizeof *out);
  #pragma omp parallel for schedule(dynamic)
  for (int64_t tile = 0; tile < rows.count() * columns.count(); ++tile) {
    const Range r = rows[tile / columns.count()], c = columns[tile % columns.count()];
    for (int64_t d = 0; d < depths.count(); ++d) {
      const Range p = depths[d];
      for (int64_t i = r.begin; i < r.end; ++i)
        for (int64_t q = p.begin; q < p.end; ++q) scaled_add<16>(out + i * n + c.begin, rhs + q * n + c.begin, lhs[i * k + q], c.size());
    }
  }
}
