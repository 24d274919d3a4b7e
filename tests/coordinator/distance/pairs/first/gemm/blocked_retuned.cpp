#include <cstdint>
#include <cstring>

#define LESS(p, q) ((p) < (q) ? (p) : (q))
enum { TILE_M = 32, TILE_N = 512, TILE_K = 64 };

static void block(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t N,
                  int64_t K) {
  for (int64_t row = 0; row < m; ++row) {
    for (int64_t deep = 0; deep < k; ++deep) {
      const float f = a[row * K + deep];
      float* out = c + row * N;
      const float* in = b + deep * N;
      int64_t col = 0;
      for (; col + 4 <= n; col += 4) {
        out[col] += f * in[col];
        out[col + 1] += f * in[col + 1];
        out[col + 2] += f * in[col + 2];
        out[col + 3] += f * in[col + 3];
      }
      for (; col < n; ++col) out[col] += f * in[col];
    }
  }
}

extern "C" void run(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K) {
  memset(c, 0, sizeof(float) * M * N);
  for (int64_t k = 0; k < K; k += TILE_K)
    for (int64_t j = 0; j < N; j += TILE_N)
      for (int64_t i = 0; i < M; i += TILE_M)
        block(a + i * K + k, b + k * N + j, c + i * N + j, LESS(TILE_M, M - i), LESS(TILE_N, N - j),
              LESS(TILE_K, K - k), N, K);
}
