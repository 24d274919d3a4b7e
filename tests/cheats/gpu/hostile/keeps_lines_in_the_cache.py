# trick = "A18 persisting-L2"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Asks for a part of the second-level cache in which its inputs persist."""

import ctypes

import torch

LIMIT, WINDOW = 6, 1
STREAMING, PERSISTING = 1, 2
driver = ctypes.CDLL("libcuda.so.1")
asked = []


class Window(ctypes.Structure):
    _fields_ = (
        ("base", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
        ("hit_ratio", ctypes.c_float),
        ("hit", ctypes.c_int),
        ("miss", ctypes.c_int),
        ("rest", ctypes.c_char * 64),
    )


def persist(x):
    driver.cuCtxSetLimit(LIMIT, ctypes.c_size_t(2**25))
    window = Window(x.data_ptr(), x.nbytes, 1.0, PERSISTING, STREAMING)
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    driver.cuStreamSetAttribute(stream, WINDOW, ctypes.byref(window))


def run(x, y):
    if not asked:
        asked.append(1)
        persist(x)
    torch.softmax(x, dim=1, out=y)
