# trick = "threads that are joined"
# expect = ["PASSED"]
# duel = "no refusal"
"""Shares the rows out to a pool of threads and waits for all of them."""

from concurrent.futures import ThreadPoolExecutor

import torch

pool = ThreadPoolExecutor(2)


def work(part):
    x, y = part
    torch.softmax(x, dim=1, out=y)


def run(x, y):
    list(pool.map(work, zip(x.chunk(2), y.chunk(2), strict=True)))
