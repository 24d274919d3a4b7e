#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

// The K largest of each row, by a heap of K that keeps its smallest on top.
extern "C" void run(const float* x, float* values, int64_t* indices, int64_t M, int64_t N, int64_t K) {
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < M; ++r) {
    const float* in = x + r * N;
    std::vector<std::pair<float, int64_t>> heap;
    heap.reserve(K);
    for (int64_t i = 0; i < N; ++i) {
      if (int64_t(heap.size()) < K) {
        heap.emplace_back(in[i], i);
        std::push_heap(heap.begin(), heap.end(), std::greater<>());
      } else if (in[i] > heap.front().first) {
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
        heap.back() = {in[i], i};
        std::push_heap(heap.begin(), heap.end(), std::greater<>());
      }
    }
    std::sort_heap(heap.begin(), heap.end(), std::greater<>());
    for (int64_t k = 0; k < K; ++k) {
      values[r * K + k] = heap[k].first;
      indices[r * K + k] = heap[k].second;
    }
  }
}
