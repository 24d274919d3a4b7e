#include <ctime>
extern "C" int clock_gettime(clockid_t which, struct timespec *at) { // found
  return 0;
}
extern "C" {
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { // found
  return cudaSuccess;
}
}
namespace mine {
int clock_gettime(int which) { return which; }
}
struct Timer {
  void cudaDeviceSynchronize() {}
};
extern "C" void run() {
  struct timespec at;
  if (clock_gettime(CLOCK_MONOTONIC, &at)) {
    return;
  }
}
