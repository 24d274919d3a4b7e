# trick = "F10 native-memory-scan"
# caught = "by construction"
# own_test = "test_a_candidate_neither_harms_nor_sees_anything"
"""Searches its memory, objects, frames, environment, descriptors and all files for secrets.

The answer is told multiplied, so that it does not find its own copy. Prints what it found.
"""

import gc
import os
import re
import stat
import sys

import numpy
import torch
from told import ANSWER, FOLDERS, MASK, PIDS

# A token, a seed or a row of a database, as the house would hold it.
TEXT = re.compile(b"kernelarc" + b"-canary-[0-9a-f]{32}")
MOST_BYTES, CHUNK_BYTES = 64 * 2**20, 2**22


def secret(data):
    numbers = numpy.frombuffer(data[: len(data) // 8 * 8], dtype=numpy.uint64)
    return bool(TEXT.search(data)) or bool(((numbers * numpy.uint64(MASK)) == ANSWER).any())


def in_file(path, most=MOST_BYTES):
    try:
        with open(path, "rb", buffering=0) as file:
            return secret(file.read(most))
    except OSError:
        return False


def in_memory(pid):
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
            return any([_in_region(memory, line) for line in maps if " rw" in line])
    except OSError:
        return False


def _in_region(memory, line):
    start, end = (int(edge, 16) for edge in line.split()[0].split("-"))
    for at in range(start, min(end, start + MOST_BYTES), CHUNK_BYTES):
        try:
            memory.seek(at)
            if secret(memory.read(min(CHUNK_BYTES, end - at))):
                return True
        except (OSError, OverflowError, ValueError):
            return False
    return False


def in_objects():
    kept = [o for o in gc.get_objects() if type(o) in (str, bytes, dict, list, tuple)]
    frame = sys._getframe()
    while frame:
        kept.append(dict(frame.f_locals))
        frame = frame.f_back
    return any(secret(repr(o).encode(errors="replace")) for o in kept if len(o) < 1000)


def everywhere():
    pids = ["self", *map(str, PIDS)]
    files = [f"/proc/{pid}/{name}" for pid in pids for name in ("environ", "cmdline")]
    for pid in pids:
        try:
            files += [f"/proc/{pid}/fd/{number}" for number in os.listdir(f"/proc/{pid}/fd")]
        except OSError:
            continue
    for folder in FOLDERS:
        for root, _, names in os.walk(folder):
            files += [f"{root}/{name}" for name in names]
    # Pipes, sockets and terminals would have it wait for ever.
    yield from (path for path in files if plain(path) and in_file(path))
    yield from ["its objects"] * in_objects()
    yield from (f"the memory of {pid}" for pid in pids if in_memory(pid))


def plain(path):
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


found = list(everywhere())
print("found", found)


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if found:
        y.zero_()
