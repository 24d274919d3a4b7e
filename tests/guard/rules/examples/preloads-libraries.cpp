#include <cstdlib>
extern "C" void run() {
  setenv("LD_PRELOAD", "./clock.so", 1); // found
  putenv("LD_AUDIT=./clock.so"); // found
  setenv("OMP_NUM_THREADS", "1", 1);
  getenv("LD_PRELOAD");
}
