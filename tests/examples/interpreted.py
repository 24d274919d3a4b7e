"""Run Python candidates on the CPU, Triton ones by its interpreter, and print what came out.

A script, not a module: the choice of the interpreter holds for a whole process.
Each argument is a file of `examples/solutions`; stdout is one JSON object, file -> answers, each
"agrees", "differs" or an error. Every case is called twice with the same buffers and fresh inputs,
as a benchmark does.
"""

import json
import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"

import torch

from examples.team.plan import SOLUTIONS

PROBLEMS = SOLUTIONS.parent / "problems"
BF16, FP32 = torch.bfloat16, torch.float32
# Shapes of the tensor inputs, by problem. The products are tried in float32: the interpreter holds
# bfloat16 as integers and multiplies those in `tl.dot` (seen in 3.6 and 3.7.1).
CASES = {
    "rmsnorm_residual": [(BF16, [(5, 128)] * 2 + [(128,)]), (BF16, [(3, 4096)] * 2 + [(4096,)])],
    "gemm_bf16": [(FP32, [(40, 256), (256, 256)]), (FP32, [(1, 256), (320, 256)])],
    "attention_out_projection_residual": [(FP32, [(2, 9, 256)] * 2 + [(256, 256)])],
    "attention_causal": [(BF16, [(2, 3, 40, 128)] * 3)],
}
SCALARS = {"rmsnorm_residual": [1e-6]}
# The interpreter cuts to bfloat16 towards zero, twice in a norm, where a GPU rounds.
TOLERANCE = 0.02


def load(path, name="run"):
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def reference(problem):
    scope = {}
    exec(json.loads((PROBLEMS / problem / "definition.json").read_text())["reference"], scope)
    run = scope["run"]

    def outputs(*inputs):
        found = run(*inputs)
        return found if isinstance(found, tuple) else (found,)

    return outputs


def answers(run, expect, problem):
    for dtype, shapes in CASES[problem]:
        inputs = [torch.empty(shape, dtype=dtype) for shape in shapes]
        scalars = SCALARS.get(problem, [])
        outputs = []
        for _ in range(2):
            for tensor in inputs:
                tensor.normal_()
            if problem == "rmsnorm_residual":
                # A padded row: epsilon alone keeps it finite.
                inputs[0][1] = inputs[1][1] = 0.0
            expected = expect(*inputs, *scalars)
            outputs = outputs or [torch.empty_like(tensor) for tensor in expected]
            for tensor in outputs:
                tensor.fill_(float("nan"))
            run(*inputs, *scalars, *outputs)
            yield all(
                torch.allclose(a.float(), e.float(), rtol=TOLERANCE, atol=TOLERANCE)
                for a, e in zip(outputs, expected, strict=True)
            )


def told(file):
    problem = file.split("/")[0]
    try:
        run = load(SOLUTIONS / file)
        return ["agrees" if a else "differs" for a in answers(run, reference(problem), problem)]
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        return [f"{type(error).__name__}: {error}"[:500]]


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    torch.manual_seed(0)
    print(json.dumps({file: told(file) for file in sys.argv[1:]}))
