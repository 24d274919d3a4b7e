// Iterator-based accumulation pipeline with a reusable running-total functor and manual software
// pipelining of the loads.
#include <cstddef>
#include <cstdint>

namespace stream {

template <typename Value>
class RunningTotal {
 public:
  Value operator()(Value next) { return total_ = total_ + next; }

 private:
  Value total_{};
};

template <typename Value>
void accumulate_span(const Value* first, const Value* last, Value* out) {
  RunningTotal<Value> total;
  const Value* const whole = first + (last - first) / 4 * 4;
  while (first != whole) {
    __builtin_prefetch(first + 64, 0, 0);
    const Value a = first[0], b = first[1], c = first[2], d = first[3];
    out[0] = total(a);
    out[1] = total(b);
    out[2] = total(c);
    out[3] = total(d);
    first += 4;
    out += 4;
  }
  for (; first != last; ++first, ++out) *out = total(*first);
}

}  // namespace stream

extern "C" void run(const float* __restrict__ source, float* __restrict__ target, int64_t M, int64_t N) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4) nowait
    for (int64_t line = 0; line < M; ++line) {
      const int64_t start = line * N;
      stream::accumulate_span(source + start, source + start + N, target + start);
    }
  }
}
