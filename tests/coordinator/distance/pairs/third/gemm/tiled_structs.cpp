// New design: work is described by Range objects and a micro-task, scheduled dynamically.
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace {

struct Range {
  int64_t from, to;
};

inline Range clip(int64_t start, int64_t extent, int64_t limit) {
  return Range{start, start + extent < limit ? start + extent : limit};
}

struct View {
  const float* __restrict__ base;
  int64_t pitch;
  const float* row(int64_t r) const { return base + r * pitch; }
};

inline void axpy(float alpha, const float* __restrict__ in, float* __restrict__ out, Range columns) {
  int64_t j = columns.from;
  for (; j + 4 <= columns.to; j += 4) {
    out[j + 0] = std::fma(alpha, in[j + 0], out[j + 0]);
    out[j + 1] = std::fma(alpha, in[j + 1], out[j + 1]);
    out[j + 2] = std::fma(alpha, in[j + 2], out[j + 2]);
    out[j + 3] = std::fma(alpha, in[j + 3], out[j + 3]);
  }
  while (j < columns.to) {
    out[j] += alpha * in[j];
    ++j;
  }
}

inline void microtask(View left, View right, float* result, int64_t pitch, Range rows, Range columns, Range depth) {
  for (int64_t r = rows.from; r < rows.to; ++r) {
    float* target = result + r * pitch;
    const float* scalars = left.row(r);
    for (int64_t d = depth.from; d < depth.to; ++d) {
      __builtin_prefetch(right.row(d + 1) + columns.from);
      axpy(scalars[d], right.row(d), target, columns);
    }
  }
}

}  // namespace

extern "C" void run(const float* lhs, const float* rhs, float* dst, int64_t M, int64_t N, int64_t K) {
  const int64_t bm = 32, bn = 512, bk = 128;
  for (int64_t e = 0; e < M * N; ++e) dst[e] = 0.0f;
  const View left{lhs, K}, right{rhs, N};
  const int64_t across = (N + bn - 1) / bn, down = (M + bm - 1) / bm;
#pragma omp parallel for schedule(dynamic)
  for (int64_t tile = 0; tile < across * down; ++tile) {
    const Range rows = clip(tile / across * bm, bm, M);
    const Range columns = clip(tile % across * bn, bn, N);
    for (int64_t d = 0; d < K; d += bk) microtask(left, right, dst, N, rows, columns, clip(d, bk, K));
  }
}
