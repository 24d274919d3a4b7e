#include <algorithm>
#include <cstdint>
extern "C" void run(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
  constexpr int64_t T = 64;
  #pragma omp parallel for collapse(2)
  for (int64_t ii = 0; ii < M; ii += T)
    for (int64_t jj = 0; jj < N; jj += T) {
      for (int64_t i = ii; i < std::min(ii + T, M); ++i)
        for (int64_t j = jj; j < std::min(jj + T, N); ++j) C[i * N + j] = 0;
      for (int64_t kk = 0; kk < K; kk += T)
        for (int64_t i = ii; i < std::min(ii + T, M); ++i)
          for (int64_t k = kk; k < std::min(kk + T, K); ++k) {
            float a = A[i * K + k];
            for (int64_t j = jj; j < std::min(jj + T, N); ++j) C[i * N + j] += a * B[k * N + j];
          }
    }
}
