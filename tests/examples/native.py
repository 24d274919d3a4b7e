"""Compile a prepared C++ candidate and call it directly, without the guard, for the tests here."""

import ctypes
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import torch

FLAGS = ("-O3", "-march=native", "-fopenmp", "-std=c++17", "-shared", "-fPIC")
Run = Callable[[torch.Tensor, torch.Tensor], None]


def compile_source(source: Path, library: Path, options: str = "", flags=FLAGS) -> str:
    """The compiler's messages when it fails, else nothing."""
    command = ["g++", *flags, *shlex.split(options), str(source), "-o", str(library)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return "" if ran.returncode == 0 else ran.stderr or "failed"


def load(library: Path) -> Run:
    # A library built with -ffast-math switches denormals off for the whole process when it is
    # loaded: the tests that follow need them.
    libm = ctypes.CDLL("libm.so.6")
    kept = ctypes.create_string_buffer(64)
    libm.fegetenv(kept)
    function = ctypes.CDLL(str(library)).run
    libm.fesetenv(kept)
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
    function.restype = None

    def run(x: torch.Tensor, y: torch.Tensor) -> None:
        function(x.data_ptr(), y.data_ptr(), *x.shape)

    return run


def agrees(x: torch.Tensor, y: torch.Tensor) -> bool:
    """Whether `y` is the softmax of `x` as the problem's tolerance has it."""
    expected = torch.softmax(x.double(), dim=1)
    return bool(torch.all((y.double() - expected).abs() <= 1e-7 + 1e-4 * expected))
