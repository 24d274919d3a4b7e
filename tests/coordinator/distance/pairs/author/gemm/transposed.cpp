#include <algorithm>
#include <vector>
extern "C" void run(const float* A, const float* B, float* C, long M, long N, long K) {
  std::vector<float> bt(N * K);
  for (long k = 0; k < K; ++k) for (long n = 0; n < N; ++n) bt[n * K + k] = B[k * N + n];
  #pragma omp parallel for
  for (long i = 0; i < M; ++i) for (long j = 0; j < N; ++j) { float s = 0; for (long k = 0; k < K; ++k) s += A[i * K + k] * bt[j * K + k]; C[i * N + j] = s; }
}
