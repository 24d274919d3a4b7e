// loss = log(sum(exp(logits))) - logits[label], with the maximum found on the way.
#include <cmath>
#include <cstdint>

extern "C" void run(const float* logits, const int64_t* labels, float* loss, int64_t T, int64_t V) {
  #pragma omp parallel for
  for (int64_t t = 0; t < T; ++t) {
    const float* row = logits + t * V;
    float highest = row[0];
    float sum = 1.0f;
    for (int64_t v = 1; v < V; ++v) {
      const float next = std::fmax(highest, row[v]);
      sum = sum * std::exp(highest - next) + std::exp(row[v] - next);
      highest = next;
    }
    loss[t] = std::log(sum) + highest - row[labels[t]];
  }
}
