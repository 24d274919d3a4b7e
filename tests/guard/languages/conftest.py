"""One correct solution per language for the same small task: y = x * scale, float32."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from guard import plugins
from guard.domain.solution import KernelLaunch, LaunchPlan, Solution, Source
from guard.ports import Artifact, Kernel

PYTORCH = """
import torch

def run(x, scale, y):
    torch.mul(x, scale, out=y)
"""
TRITON = """
import triton
import triton.language as tl

@triton.jit
def scaled(x, y, scale, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < size) * scale, mask=at < size)

def run(x, scale, y):
    scaled[(triton.cdiv(x.numel(), 64),)](x, y, scale, x.numel(), BLOCK=64)
"""
CPP = """
#include <cstdint>
extern "C" void run(const float* x, double scale, float* y, int64_t N) {
  #pragma omp parallel for
  for (int64_t i = 0; i < N; ++i) y[i] = x[i] * static_cast<float>(scale);
}
"""
CUDA = """
#include <stdint.h>
extern "C" __global__ void scaled(const float* x, float* y, float scale, int64_t n) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = x[i] * scale;
}
"""
CUDA_CPP = """
#include <torch/extension.h>
void run(torch::Tensor x, double scale, torch::Tensor y) {
  for (int64_t i = 0; i < x.numel(); ++i)
    y.data_ptr<float>()[i] = x.data_ptr<float>()[i] * static_cast<float>(scale);
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run, "y = x * scale"); }
"""
PLAN = LaunchPlan(
    kernels=(
        KernelLaunch(
            kernel="scaled",
            grid=("(N+127)//128",),
            block=("128",),
            arguments=("x", "y", "scale", "int64:N"),
        ),
    )
)
FILES = {
    "pytorch": ("kernel.py", PYTORCH),
    "triton": ("kernel.py", TRITON),
    "cpp": ("kernel.cpp", CPP),
    "cuda": ("kernel.cu", CUDA),
    "cuda_cpp": ("kernel.cpp", CUDA_CPP),
}

Make = Callable[..., Solution]


@pytest.fixture
def make() -> Make:
    """Build a solution of a language: its example, unless told otherwise."""

    def build(language: str, content: str = "", **fields: object) -> Solution:
        path, example = FILES[language]
        given = {
            "definition": "scaled",
            "language": language,
            "sources": (Source(path=path, content=content or example),),
            "launch_plan": PLAN if language == "cuda" else None,
        }
        return Solution.model_validate(given | fields)

    return build


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Solution], Kernel]:
    """Check, compile and load a solution as builder and runner would, in this process."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(tempfile, "tempdir", tempfile.tempdir)
    monkeypatch.setitem(sys.modules, "candidate", ModuleType("candidate"))
    for name in ("TMPDIR", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_INTERPRET"):
        monkeypatch.setenv(name, "")

    def load(solution: Solution, architecture: str = "native") -> Kernel:
        language = plugins.load("languages")[solution.language]
        language.check(solution)
        builder, runner = tmp_path / "builder", tmp_path / "runner"
        for folder in (builder, runner):
            folder.mkdir()
        artifact = language.compile(solution, architecture, builder)
        assert artifact.report.ok, artifact.report.messages
        write(artifact, runner)
        return language.load(solution, runner)

    return load


def write(artifact: Artifact, folder: Path) -> None:
    for path, content in artifact.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
