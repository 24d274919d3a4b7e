# trick = "F10 native-memory-scan"
# caught = "by construction"
# expect = ["PASSED"]
# probe = true
# walls = ["uid", "pid"]
"""Opens the memory of every other process; tells by a wrong output."""

import os

import torch


def readable(pid):
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
            memory.seek(int(maps.readline().partition("-")[0], 16))
            return bool(memory.read(16))
    except (OSError, ValueError):
        return False


others = [p for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid()]
leaked = any(map(readable, others))


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if leaked:
        y.zero_()
