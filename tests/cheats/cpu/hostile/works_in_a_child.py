# trick = "F26 helper-hardware"
# caught = "by construction"
# own_test = "test_time_that_a_child_works_is_charged"
"""Waits at the lowest priority for a child that works on the same core, and looks kept waiting."""

import os
import time

import torch

WORK_S = 0.02


def work():
    started = time.process_time()
    while time.process_time() - started < WORK_S:
        pass


def run(x, y):
    os.setpriority(os.PRIO_PROCESS, 0, 19)
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        os.sched_yield()
    torch.softmax(x, dim=1, out=y)
