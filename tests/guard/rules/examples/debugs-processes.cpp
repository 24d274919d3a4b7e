// ptrace(PTRACE_ATTACH, pid) is only spoken of here.
#include <sys/ptrace.h>
/* process_vm_readv(pid) too */
static float ptrace(const float *rho, int n) { return rho[n]; }
extern "C" void run(const float *x, float *y, int pid) {
  const char *told = "process_vm_readv";
  y[0] = ptrace(x, 3);
  ::ptrace(PTRACE_ATTACH, pid, 0, 0); // found
  syscall(SYS_process_vm_readv, pid); // found
}
