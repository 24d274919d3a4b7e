#include <algorithm>
#include <cstdint>
#include <memory>
struct Entry { float key; int64_t place; friend bool operator<(const Entry& a, const Entry& b) { return a.key > b.key; } };
class Selector {
 public:
  explicit Selector(int64_t n) : entries_(std::make_unique<Entry[]>(n)), n_(n) {}
  void load(const float* row) { for (int64_t i = 0; i < n_; ++i) entries_[i] = Entry{row[i], i}; }
  void best(int64_t k) {
    Entry* first = entries_.get();
    std::nth_element(first, first + k - 1, first + n_);
    std::sort(first, first + k);
  }
  const Entry& operator[](int64_t i) const { return entries_[i]; }
 private:
  std::unique_ptr<Entry[]> entries_;
  int64_t n_;
};
extern "C" void run(const float* scores, float* best, int64_t* where, int64_t rows, int64_t n, int64_t k) {
#pragma omp parallel
  {
    Selector selector(n);
#pragma omp for schedule(dynamic)
    for (int64_t r = 0; r < rows; ++r) {
      selector.load(scores + r * n);
      selector.best(k);
      for (int64_t j = 0; j < k; ++j) { best[r * k + j] = selector[j].key; where[r * k + j] = selector[j].place; }
    }
  }
}
