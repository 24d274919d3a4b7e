# trick = "F17 attack-the-parent"
# caught = "by construction"
# expect = ["PASSED"]
# probe = true
# walls = ["uid", "landlock", "pid"]
"""Opens shared memory of other processes by the links in /proc; tells by a wrong output."""

import contextlib
import os

import torch

found = []
for pid in filter(str.isdigit, os.listdir("/proc")):
    for kind in ("fd", "map_files"):
        with contextlib.suppress(OSError):
            for name in os.listdir(f"/proc/{pid}/{kind}"):
                path = f"/proc/{pid}/{kind}/{name}"
                if int(pid) != os.getpid() and "memfd:" in os.readlink(path):
                    os.close(os.open(path, os.O_RDWR))
                    found.append(path)


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if found:
        y.zero_()
