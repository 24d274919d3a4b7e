#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

// The K largest of each row: indices are partitioned around the K-th, then the front is sorted.
extern "C" void run(const float* x, float* values, int64_t* indices, int64_t M, int64_t N, int64_t K) {
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < M; ++r) {
    const float* in = x + r * N;
    std::vector<int64_t> order(N);
    std::iota(order.begin(), order.end(), int64_t(0));
    const auto larger = [in](int64_t a, int64_t b) { return in[a] > in[b]; };
    std::nth_element(order.begin(), order.begin() + (K - 1), order.end(), larger);
    std::sort(order.begin(), order.begin() + K, larger);
    for (int64_t k = 0; k < K; ++k) {
      values[r * K + k] = in[order[k]];
      indices[r * K + k] = order[k];
    }
  }
}
