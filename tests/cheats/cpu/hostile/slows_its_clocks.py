# trick = "A6 clock-patch"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Every clock of its process runs ten times slower; events and benchmarks say so too."""

import time

import torch
import torch.utils.benchmark

for name in ("perf_counter", "monotonic", "process_time", "time", "thread_time"):
    real = getattr(time, name)
    setattr(time, name, lambda real=real: real() / 10)
for name in ("perf_counter_ns", "monotonic_ns", "process_time_ns"):
    real = getattr(time, name)
    setattr(time, name, lambda real=real: real() // 10)
torch.cuda.Event.elapsed_time = lambda self, other: 1e-6
torch.utils.benchmark.Timer.timeit = lambda self, number=1: 1e-9


def run(x, y):
    torch.softmax(x, dim=1, out=y)
