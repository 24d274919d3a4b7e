// loss = log(sum(exp(logits))) - logits[label], with the maximum taken out first.
#include <cmath>
#include <cstdint>

extern "C" void run(const float* logits, const int64_t* labels, float* loss, int64_t T, int64_t V) {
  #pragma omp parallel for
  for (int64_t t = 0; t < T; ++t) {
    const float* row = logits + t * V;
    float highest = row[0];
    for (int64_t v = 1; v < V; ++v) highest = std::fmax(highest, row[v]);
    float sum = 0.0f;
    for (int64_t v = 0; v < V; ++v) sum += std::exp(row[v] - highest);
    loss[t] = std::log(sum) + highest - row[labels[t]];
  }
}
