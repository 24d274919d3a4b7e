"""On a GPU: inputs are drawn, expected values computed and outputs compared as on a CPU."""

from pathlib import Path

import pytest
import torch

from guard.domain.problem import Definition, Tolerance, Workload, concrete_shape
from guard.formats.sol_execbench import FORMAT
from guard.referee.compare import compare
from guard.referee.inputs import InputClass, classes, fill
from guard.referee.poison import draw_pattern, poison, poisoned
from guard.referee.reference import Reference, expected, torch_dtype
from guard.verify import judge

pytestmark = pytest.mark.gpu

FOLDERS = sorted((Path(__file__).parents[2] / "examples" / "problems").iterdir())
DTYPES = [
    "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2",
    "float4_e2m1fn_x2", "int64", "int32", "int16", "int8", "bool",
]  # fmt: skip
NAMES = ["x", "up_proj", "norm_weight", "causal_mask", "x_mask", "cos", "rstd", "A_cumsum", "g"]
EXACT = Tolerance(max_atol=0.0, max_rtol=0.0)


def drawn(name, dtype, input_class=InputClass.LISTED):
    definition = Definition.model_validate(
        {
            "name": "t",
            "axes": {"R": {"type": "const", "value": 64}},
            "inputs": {name: {"shape": ["R", "R"], "dtype": dtype}},
            "outputs": {"out": {"shape": [], "dtype": "float32"}},
            "reference": f"def run({name}):\n    return 0.0\n",
        }
    )
    workload = Workload(uuid="w", axes={}, inputs={name: {"type": "random"}})
    tensor = torch.empty(64, 64, dtype=torch_dtype(dtype), device="cuda")
    generator = torch.Generator("cuda").manual_seed(3)
    fill(
        definition, workload, {"R": 64}, {name: tensor}, generator=generator,
        input_class=input_class,
    )  # fmt: skip
    return tensor


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_can_be_drawn_poisoned_and_compared(dtype):
    tensor = drawn("x", dtype)
    pattern = draw_pattern(tensor.dtype) or 1
    same = compare("x", tensor, tensor.clone(), EXACT)
    assert same.matched == same.elements > 0
    wanted = tensor.clone()
    poison(tensor, pattern)
    assert poisoned(tensor, pattern) == tensor.numel()
    left = compare("x", tensor, wanted, EXACT, pattern=pattern)
    assert left.unwritten + left.matched == left.elements
    assert left.unwritten > 0


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", NAMES)
def test_every_name_can_be_drawn(name, dtype):
    for input_class in InputClass:
        assert drawn(name, dtype, input_class).isfinite().all()


WORKLOADS = [
    pytest.param(folder, workload, id=f"{folder.name} {workload.uuid}")
    for folder in FOLDERS
    for workload in FORMAT.read(folder).workloads
]


@pytest.mark.parametrize(("folder", "workload"), WORKLOADS)
def test_float64_decides_every_example_and_the_baseline_is_correct(folder, workload):
    problem = FORMAT.read(folder)
    definition, sizes = problem.definition, problem.definition.resolve(workload.axes)
    inputs, outputs = (
        {
            name: torch.empty(
                concrete_shape(spec, sizes), dtype=torch_dtype(spec.dtype), device="cuda"
            )
            for name, spec in specs.items()
            if spec.shape is not None
        }
        for specs in (definition.inputs, definition.outputs)
    )
    generator = torch.Generator("cuda").manual_seed(5)
    module = {}
    exec(compile(problem.baseline_source, "baseline.py", "exec"), module)
    for input_class in classes(definition, workload):
        arguments = fill(
            definition, workload, sizes, inputs, generator=generator, input_class=input_class
        )
        answer = expected(
            Reference(definition), arguments, sizes, workload.tolerance, input_class=input_class
        )
        if answer is None:
            assert input_class is not InputClass.LISTED
            continue
        assert answer.source == "float64"
        module["run"](*arguments, *outputs.values())
        compared = [
            compare(name, actual, wanted, workload.tolerance, call=input_class)
            for (name, actual), wanted in zip(outputs.items(), answer.tensors, strict=True)
        ]
        outcome = judge(compared, workload.tolerance)
        assert outcome.verdict == "correct", outcome.reason
