"""The example problems: their baselines are right, and cheap wrong answers are not."""

from pathlib import Path

import pytest
import torch

from guard.domain.problem import concrete_shape
from guard.formats.sol_execbench import FORMAT
from guard.referee.compare import compare
from guard.referee.inputs import InputClass, classes, fill
from guard.referee.poison import draw_pattern, poison
from guard.referee.reference import Reference, expected, torch_dtype
from guard.verify import judge

FOLDERS = sorted((Path(__file__).parents[2] / "examples" / "problems").iterdir())


class Case:
    """One call of one problem on its first CPU workload."""

    def __init__(self, folder, input_class):
        self.problem = FORMAT.read(folder)
        definition, self.workload = self.problem.definition, self.problem.cpu_workloads[0]
        sizes = definition.resolve(self.workload.axes)

        def empty(specs):
            return {
                name: torch.empty(concrete_shape(spec, sizes), dtype=torch_dtype(spec.dtype))
                for name, spec in specs.items()
                if spec.shape is not None
            }

        self.arguments = fill(
            definition,
            self.workload,
            sizes,
            empty(definition.inputs),
            generator=torch.Generator().manual_seed(11),
            input_class=input_class,
        )
        self.answer = expected(
            Reference(definition),
            self.arguments,
            sizes,
            self.workload.tolerance,
            input_class=input_class,
        )
        self.outputs = empty(definition.outputs)

    def judge(self, write):
        """Poison the outputs, let `write` fill them, and judge."""
        tolerance, compared = self.workload.tolerance, []
        patterns = {name: draw_pattern(t.dtype) for name, t in self.outputs.items()}
        for name, tensor in self.outputs.items():
            poison(tensor, patterns[name])
        write(*self.arguments, *self.outputs.values())
        for (name, actual), wanted in zip(self.outputs.items(), self.answer.tensors, strict=True):
            compared.append(compare(name, actual, wanted, tolerance, pattern=patterns[name]))
        return judge(compared, tolerance)


@pytest.fixture(scope="module", params=FOLDERS, ids=lambda path: path.name)
def listed(request):
    return Case(request.param, InputClass.LISTED)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
@pytest.mark.parametrize("input_class", [InputClass.LISTED, InputClass.WIDE])
def test_the_baseline_is_correct_and_float64_decides(folder, input_class):
    case = Case(folder, input_class)
    assert input_class in classes(case.problem.definition, case.workload)
    assert case.answer.source == "float64"
    module = {}
    exec(compile(case.problem.baseline_source, "baseline.py", "exec"), module)
    outcome = case.judge(module["run"])
    assert outcome.verdict == "correct", outcome.reason


def _nothing(*_):
    pass


def _zeros(*arguments):
    for output in arguments:
        if isinstance(output, torch.Tensor) and output.isnan().any():
            output.zero_()


@pytest.mark.parametrize("write", [_nothing, _zeros], ids=["nothing written", "zeros"])
def test_a_cheap_wrong_answer_is_incorrect(listed, write):
    assert listed.judge(write).verdict == "incorrect"


def test_a_uniform_answer_is_incorrect(listed):
    def mean(*_):
        for output, wanted in zip(listed.outputs.values(), listed.answer.tensors, strict=True):
            output.fill_(wanted.mean().item())

    assert listed.judge(mean).verdict == "incorrect"


# The attention problem's rtol of 0.05 is wider than the rounding of an 8-bit float.
PRECISE = [f for f in FOLDERS if not f.name.startswith("attention")]


@pytest.mark.parametrize("folder", PRECISE, ids=lambda path: path.name)
def test_an_answer_in_8_bit_precision_is_incorrect(folder):
    case = Case(folder, InputClass.LISTED)

    def narrow(*_):
        for output, wanted in zip(case.outputs.values(), case.answer.tensors, strict=True):
            output.copy_(wanted.to(torch.float8_e4m3fn))

    assert case.judge(narrow).verdict == "incorrect"


def test_the_attention_problem_has_its_sixteen_workloads():
    problem = FORMAT.read(next(f for f in FOLDERS if f.name.startswith("attention")))
    ordered = sorted(problem.workloads, key=lambda w: w.axes["batch"] * w.axes["seq"])
    tolerances = [w.tolerance.max_atol for w in ordered]
    assert len(problem.workloads) == 16
    assert tolerances == sorted(tolerances)
    assert all(0.0083 <= atol <= 0.02 for atol in tolerances)
