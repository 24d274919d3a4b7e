"""Candidates for `softmax_rows` that fail in every way a process can, and what is said of each.

    FAULTS: name, language, source, the verdict, a word of its evidence

Each is harmless to the host behind the sandbox, and only there. Start at `FAULTS`. Not here:
candidates that cheat (`tests/cheats`).
"""

from typing import Literal, NamedTuple


class Fault(NamedTuple):
    """One way to fail."""

    name: str
    language: Literal["pytorch", "cpp"]
    source: str
    status: Literal["RUNTIME_ERROR", "TIMEOUT"]
    evidence: str
    """Part of the log of the workload that failed."""


def _python(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return f"import ctypes, os, signal, sys, time\n\n\ndef run(x, y):\n{lines}"


def _cpp(body: str) -> str:
    return (
        "#include <cassert>\n#include <cstdint>\n#include <cstdlib>\n"
        'extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {\n'
        f"  {body}\n}}\n"
    )


LEFT_BEHIND = "left-behind"
"""What the grandchild that outlives its parents calls itself."""
_FORK_BOMB = """
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
_GRANDCHILD = f"""
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(15, b"{LEFT_BEHIND}", 0, 0, 0)
        os.write(writing, b"here")
        while True:
            time.sleep(1)
    os._exit(0)
os.read(reading, 4)
os.kill(os.getpid(), signal.SIGKILL)
os._exit(7)
"""
_HOG = """
kept = []
while True:
    kept.append(bytearray(b"x") * 2**26)
"""
_FILLER = """
for number in range(100_000):
    with open(f"{number}.bin", "wb") as file:
        file.write(bytes(2**20))
"""
_CHATTER = """
for _ in range(10 * 1024):
    sys.stdout.write("x" * 2**20)
"""
_DEAF = """
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
while True:
    pass
"""
FAULTS = (
    Fault("illegal access", "cpp", _cpp("*(volatile int*)8 = 1;"), "RUNTIME_ERROR", "SIGSEGV"),
    Fault("failed assertion", "cpp", _cpp("assert(M < 0);"), "RUNTIME_ERROR", "`M < 0' failed"),
    Fault("abort", "cpp", _cpp("abort();"), "RUNTIME_ERROR", "it aborted"),
    Fault("division by zero", "cpp", _cpp("y[0] = M / (N - N);"), "RUNTIME_ERROR", "SIG"),
    Fault("endless C++", "cpp", _cpp('for (;;) asm volatile("");'), "TIMEOUT", "no answer"),
    Fault("endless Python", "pytorch", _python("while True: pass"), "TIMEOUT", "no answer"),
    Fault("fork bomb", "pytorch", _python(_FORK_BOMB), "TIMEOUT", "no answer"),
    Fault("memory hog", "pytorch", _python(_HOG), "RUNTIME_ERROR", "MemoryError"),
    Fault("disk filler", "pytorch", _python(_FILLER), "RUNTIME_ERROR", "No space left"),
    Fault("10 GB of output", "pytorch", _python(_CHATTER), "RUNTIME_ERROR", "File too large"),
    Fault("deaf to signals", "pytorch", _python(_DEAF), "TIMEOUT", "no answer"),
    Fault("grandchild", "pytorch", _python(_GRANDCHILD), "RUNTIME_ERROR", "process"),
    Fault(
        "segfault at import", "pytorch", "import ctypes\nctypes.string_at(0)\n" + _python("pass"),
        "RUNTIME_ERROR", "SIGSEGV",
    ),
    Fault(
        "exit 0 at import", "pytorch", "import os\nos._exit(0)\n" + _python("pass"),
        "RUNTIME_ERROR", "exit code 0",
    ),
)  # fmt: skip
