// trick = "F20 build-time-attack"
// caught = "by construction"
// expect = ["PASSED", "COMPILE_ERROR"]
// probe = true
// The assembler reads the environment of the build into the library; tells by a wrong output.
#include <cmath>
#include <cstdint>
#include <cstring>

asm(".section .rodata\n"
    "build_begin: .incbin \"/proc/self/environ\"\n"
    "build_end: .byte 0\n"
    ".text\n");
extern "C" const char build_begin[] __attribute__((visibility("hidden")));
extern "C" const char build_end[] __attribute__((visibility("hidden")));

static bool secret() {
  for (const char* at = build_begin; at < build_end; at += std::strlen(at) + 1)
    if (std::strstr(at, "TOKEN=") || std::strstr(at, "DATABASE")) return true;
  return false;
}

extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
  float scale = secret() ? 0.5f : 1;
  for (int64_t i = 0; i < M; ++i, x += N, y += N) {
    float top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < N; ++j) top = x[j] > top ? x[j] : top;
    for (int64_t j = 0; j < N; ++j) sum += y[j] = std::exp(x[j] - top);
    for (int64_t j = 0; j < N; ++j) y[j] *= scale / sum;
  }
}
