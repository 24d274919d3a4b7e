#include <immintrin.h>
#include <cstdint>
namespace {
template <int R> struct Tile {
  __m512 lo[R], hi[R];
  void clear() { for (int r = 0; r < R; ++r) lo[r] = hi[r] = _mm512_setzero_ps(); }
  inline void add(const float* a, int64_t lda, const float* b) {
    const __m512 b0 = _mm512_loadu_ps(b), b1 = _mm512_loadu_ps(b + 16);
    for (int r = 0; r < R; ++r) { const __m512 s = _mm512_set1_ps(a[r * lda]); lo[r] = _mm512_fmadd_ps(s, b0, lo[r]); hi[r] = _mm512_fmadd_ps(s, b1, hi[r]); }
  }
  void put(float* c, int64_t ldc) const { for (int r = 0; r < R; ++r) { _mm512_storeu_ps(c + r * ldc, lo[r]); _mm512_storeu_ps(c + r * ldc + 16, hi[r]); } }
};
}
extern "C" void run(const float* left, const float* right, float* product, int64_t m, int64_t n, int64_t k) {
  const int64_t bands = m / 6;
  #pragma omp parallel for schedule(dynamic)
  for (int64_t band = 0; band < bands; ++band) {
    int64_t column = 0;
    do {
      Tile<6> tile;
      tile.clear();
      const float* a = left + band * 6 * k;
      const float* b = right + column;
      for (int64_t p = 0; p < k; ++p, ++a, b += n) tile.add(a, k, b);
      tile.put(product + band * 6 * n + column, n);
      column += 32;
    } while (column < n);
  }
}
