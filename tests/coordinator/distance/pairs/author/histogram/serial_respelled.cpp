#include <algorithm>
#include <cstdint>
#include <cstring>
class Tally {
 public:
  explicit Tally(int32_t* cells) : cells_(cells) { std::memset(cells_, 0, 256 * sizeof(int32_t)); }
  void operator()(uint8_t symbol) { cells_[symbol] += 1; }
 private:
  int32_t* cells_;
};
extern "C" void run(const uint8_t* data, int32_t* out, int64_t length) {
  Tally tally(out);
  const uint8_t* at = data;
  const uint8_t* const end = data + length;
  while (end - at >= 4) { tally(at[0]); tally(at[1]); tally(at[2]); tally(at[3]); at += 4; }
  while (at != end) tally(*at++);
}
