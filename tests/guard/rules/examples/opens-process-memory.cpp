#include <cstdio>
// "/proc/1/mem"
extern "C" void run(float *y) {
  char path[64];
  snprintf(path, 64, "/proc/%d/mem", 1); // found
  FILE *file = fopen("/proc/meminfo", "r");
  const char *raw = R"(
      // "/proc/2/mem" is inside a raw string
  )";
  fopen(R"x(/proc/1/environ)x", "r"); // found
}
