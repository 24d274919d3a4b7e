#include <chrono>
// usleep(1) is only spoken of.
extern "C" void run() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1)); // found
  int usleep = 1;
}
