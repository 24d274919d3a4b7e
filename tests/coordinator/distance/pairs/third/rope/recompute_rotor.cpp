// Rotor algebra: each pair of coordinates is acted upon by a planar rotor.
#include <math.h>
#include <stdint.h>

namespace geometry {

struct Point {
  float re, im;
};

struct Rotor {
  float cosine, sine;
  static inline Rotor at(int64_t position, int64_t band, int64_t width) {
    // 10000^(-2 band / width) by way of the exponential function
    const float frequency = expf(-9.210340371976184f * (2.0f * float(band) / float(width)));
    Rotor r;
    sincosf(float(position) * frequency, &r.sine, &r.cosine);
    return r;
  }
  inline Point operator()(Point p) const {
    return Point{fmaf(p.re, cosine, -(p.im * sine)), fmaf(p.im, cosine, p.re * sine)};
  }
};

}  // namespace geometry

#define TURN(BAND)                                                                   \
  do {                                                                               \
    const geometry::Point p{source[(BAND)], source[(BAND) + bands]};                 \
    const geometry::Point q = geometry::Rotor::at(position, (BAND), width)(p);       \
    target[(BAND)] = q.re;                                                           \
    target[(BAND) + bands] = q.im;                                                   \
  } while (0)

static void turn_vector(const float* __restrict__ source, float* __restrict__ target, int64_t position,
                        int64_t width) {
  const int64_t bands = width >> 1;
  int64_t band = 0;
  for (; band + 1 < bands; band += 2) {
    TURN(band);
    TURN(band + 1);
  }
  if (band < bands) TURN(band);
}

extern "C" void run(const float* x, float* y, int64_t T, int64_t H, int64_t D) {
  const int64_t vectors = T * H;
#pragma omp parallel for schedule(static, 8)
  for (int64_t v = 0; v < vectors; ++v) {
    turn_vector(x + v * D, y + v * D, v / H, D);
  }
}
