# trick = "calls a compiler as a child process when it is loaded"
# expect = ["PASSED"]
# duel = "no refusal"
"""Writes C to its scratch folder, has it compiled, and calls it; else it uses torch."""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import torch

SOURCE = r"""
#include <math.h>
void softmax(const float* x, float* y, long m, long n) {
  for (long i = 0; i < m; ++i, x += n, y += n) {
    float top = -INFINITY, sum = 0;
    for (long j = 0; j < n; ++j) top = x[j] > top ? x[j] : top;
    for (long j = 0; j < n; ++j) sum += y[j] = expf(x[j] - top);
    for (long j = 0; j < n; ++j) y[j] /= sum;
  }
}
"""
compiler = shutil.which("gcc") or shutil.which("cc")
softmax = None
if compiler:
    folder = Path(tempfile.mkdtemp())
    (folder / "softmax.c").write_text(SOURCE)
    command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", "softmax.so"]
    subprocess.run([*command, "softmax.c", "-lm"], cwd=folder, check=True)
    softmax = ctypes.CDLL(str(folder / "softmax.so")).softmax
    softmax.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_long]
    softmax.restype = None


def run(x, y):
    if softmax is None:
        torch.softmax(x, dim=1, out=y)
    else:
        softmax(x.data_ptr(), y.data_ptr(), *x.shape)
