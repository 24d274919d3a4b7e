#include <thread>
extern "C" void run() {
  std::thread joined([] {});
  joined.join();
  std::thread([] {}).detach(); // found
}
