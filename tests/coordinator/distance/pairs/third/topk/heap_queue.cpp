// Tournament keeper: a bounded priority structure admits challengers that beat the weakest champion.
#include <cstdint>
#include <queue>
#include <vector>

namespace {

struct Champion {
  float strength;
  int64_t origin;
};

struct Weaker {
  bool operator()(const Champion& a, const Champion& b) const {
    return a.strength != b.strength ? a.strength > b.strength : a.origin > b.origin;
  }
};

class Keeper {
  using Queue = std::priority_queue<Champion, std::vector<Champion>, Weaker>;

 public:
  explicit Keeper(int64_t places) : places_(places) {}

  inline void challenge(float strength, int64_t origin) {
    if (__builtin_expect(static_cast<int64_t>(queue_.size()) >= places_, 1)) {
      if (__builtin_expect(!(strength > queue_.top().strength), 1)) return;
      queue_.pop();
    }
    queue_.push(Champion{strength, origin});
  }

  void announce(float* strengths, int64_t* origins) {
    int64_t place = static_cast<int64_t>(queue_.size());
    while (place-- > 0) {
      const Champion& weakest = queue_.top();
      strengths[place] = weakest.strength;
      origins[place] = weakest.origin;
      queue_.pop();
    }
  }

 private:
  int64_t places_;
  Queue queue_;
};

}  // namespace

extern "C" void run(const float* scores, float* best, int64_t* where, int64_t M, int64_t N, int64_t K) {
#pragma omp parallel for schedule(dynamic, 2)
  for (int64_t contest = 0; contest < M; ++contest) {
    Keeper keeper(K);
    const float* entrants = scores + contest * N;
    int64_t e = 0;
    while (e < N) {
      keeper.challenge(entrants[e], e);
      ++e;
    }
    keeper.announce(best + contest * K, where + contest * K);
  }
}
