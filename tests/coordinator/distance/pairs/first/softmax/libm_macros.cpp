#include <cmath>
#include <cstdint>

#define EACH(i, from, n) for (int64_t i = (from); i < (n); ++i)
#define MAX_OF(a, b) ((a) > (b) ? (a) : (b))

extern "C" void run(const float* in, float* out, int64_t rows, int64_t columns) {
  EACH(row, 0, rows) {
    const float* source = in + row * columns;
    float* target = out + row * columns;
    float peak = source[0];
    EACH(j, 1, columns) peak = MAX_OF(source[j], peak);
    float norm = 0.0f;
    EACH(j, 0, columns) {
      const float e = expf(source[j] - peak);
      target[j] = e;
      norm += e;
    }
    const float factor = 1.0f / norm;
    EACH(j, 0, columns) target[j] *= factor;
  }
}
