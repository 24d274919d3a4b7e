import ctypes

libc = ctypes.CDLL(None)
libc.ptrace(16, 1, 0, 0)  # found
libc.process_vm_writev(1, 0, 0, 0, 0, 0)  # found
getattr(libc, "ptrace")(16, 1, 0, 0)  # found
libc.memcpy(0, 0, 0)


def run(rho, y):
    y.copy_(rho.ptrace(0))
