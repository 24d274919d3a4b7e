// trick = "F25 sticky-error-blame"
// caught = "by check"
// expect = ["RUNTIME_ERROR"]
// [[plan.kernels]]
// kernel = "rows"
// grid = ["M"]
// block = ["256"]
// arguments = ["x", "y", "int64:N"]
// Writes where nothing is mapped.
#include <math.h>
#include <stdint.h>

extern "C" __global__ void rows(const float* x, float* y, int64_t N) {
  reinterpret_cast<volatile float*>(16)[threadIdx.x] = x[0];
}
