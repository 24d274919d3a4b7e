// trick = "F20 build-time-attack"
// caught = "by check"
// expect = ["COMPILE_ERROR"]
// evidence = "Permission denied|No such file"
// Has the compiler quote a file that only the administrator may read.
#include <cstdint>
#include "/etc/shadow"

extern "C" void run(const float*, float*, int64_t, int64_t) {}
