"""Compile Triton candidates for sm_90 on a machine without a GPU; print what went wrong.

A script, not a module: it replaces Triton's driver in its own process. Each argument is a file of
`examples/solutions`; stdout is one JSON object, file -> an error or nothing. A launch is
specialised exactly as on a GPU (alignment, divisibility, sizes of 1) and then left out.
"""

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location

import torch
from triton.backends.compiler import GPUTarget
from triton.runtime import driver, jit

from examples.team.plan import SOLUTIONS

# Shapes of inputs and outputs, by problem; a number is a scalar input.
CASES = {
    "rmsnorm_residual": [
        [(64, h), (64, h), (h,), 1e-6, (64, h), (64, h)] for h in (4096, 8192)
    ],
    "gemm_bf16": [[(m, 4096), (4096, 4096), (m, 4096)] for m in (1, 100, 4096)],
    "attention_out_projection_residual": [
        [(b, s, 2560), (b, s, 2560), (2560, 2560), (b, s, 2560)] for b, s in ((1, 1), (2, 2053))
    ],
}  # fmt: skip


class Absent:
    """A driver of a GPU that is not there."""

    utils = None

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=None):
        return 0


launch = jit.JITFunction.run


def compile_only(self, *args, grid, warmup, **keywords):
    return launch(self, *args, grid=grid, warmup=True, **keywords)


def told(file):
    spec = spec_from_file_location("candidate", SOLUTIONS / file)
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        for case in CASES[file.split("/")[0]]:
            module.run(
                *(a if isinstance(a, float) else torch.empty(a, dtype=torch.bfloat16) for a in case)
            )
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"[:500]
    return ""


if __name__ == "__main__":
    driver.set_active(Absent())
    jit.JITFunction.run = compile_only
    print(json.dumps({file: told(file) for file in sys.argv[1:]}))
