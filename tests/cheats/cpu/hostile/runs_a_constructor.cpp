// trick = "F20 build-time-attack"
// caught = "by check"
// expect = ["RUNTIME_ERROR"]
// evidence = "exit code 0"
// Ends the process with success as soon as the library is loaded, wherever that is.
#include <cstdint>
#include <unistd.h>

__attribute__((constructor)) static void start() { _exit(0); }

extern "C" void run(const float*, float*, int64_t, int64_t) {}
