// trick = "F24 exhaustion"
// caught = "by check"
// expect = ["TIMEOUT", "RUNTIME_ERROR"]
// policy = {first_call_limit_s = 4.0, call_limit_s = 4.0}
// [[plan.kernels]]
// kernel = "rows"
// grid = ["M"]
// block = ["256"]
// arguments = ["x", "y", "int64:N"]
// A kernel without end.
#include <math.h>
#include <stdint.h>

extern "C" __global__ void rows(const float* x, float* y, int64_t N) {
  volatile float* out = y;
  for (;;) out[threadIdx.x] = x[threadIdx.x];
}
