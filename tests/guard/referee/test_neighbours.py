"""`guard.referee.neighbours`: shapes that nobody listed, near those that somebody did."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.domain.problem import Definition, Problem, Workload
from guard.formats.sol_execbench import FORMAT
from guard.referee.neighbours import WANTED, _is_prime, _shapes, drawn, open_axes
from guard.referee.reference import Reference
from guard.referee.slots import Layout
from tests.guard.trials import ROOT, closed, problem, workload

PROBLEMS = sorted(p.name for p in (ROOT / "examples" / "problems").iterdir() if p.is_dir())
TIED = {
    "name": "tied",
    "axes": {
        "B": {"type": "var"},
        "H": {"type": "var"},
        "heads": {"type": "const", "value": 4},
        "D": {"type": "expr", "expression": "H / heads"},
    },
    "inputs": {
        "x": {"shape": ["B", "heads", "D"], "dtype": "float32"},
        "w": {"shape": ["H"], "dtype": "float32"},
    },
    "outputs": {"y": {"shape": ["B", "H"], "dtype": "float32"}},
    "reference": "def run(x, w):\n    return x.reshape(x.shape[0], -1) * w\n",
}


def tied(**inputs) -> Problem:
    sources = {"x": {"type": "random"}, "w": {"type": "random"}} | inputs
    raw = {"uuid": "a", "axes": {"B": 12, "H": 64}, "inputs": sources}
    definition = Definition.model_validate(TIED)
    listed = (Workload.model_validate(raw),)
    return Problem(name="tied", definition=definition, workloads=listed, cpu_workloads=listed)


@given(seed=st.integers(0, 2**32), rows=st.integers(1, 300), columns=st.integers(1, 300))
def test_a_neighbour_is_new_moved_and_no_larger_than_the_largest(seed, rows, columns):
    task = problem(workload("a", rows, columns), workload("b", 40, 50), hidden=True)
    largest = max(Layout.of(task.definition, w).slot_bytes for w in task.cpu_workloads)
    listed = [w.axes for w in task.cpu_workloads]
    found = [shape.workload for shape in _shapes(task, "cpu", Random(seed))]
    sizes = [tuple(w.axes.values()) for w in found]
    assert len(set(sizes)) == len(sizes)
    for one in found:
        assert one.axes not in listed
        assert all(size >= 1 for size in one.axes.values())
        assert Layout.of(task.definition, one).slot_bytes <= largest


@given(seed=st.integers(0, 2**32))
def test_every_size_is_what_its_words_say(seed):
    task = problem(workload("a", 40, 1000), hidden=True)
    for shape in _shapes(task, "cpu", Random(seed)):
        told = dict(re.findall(r"(\w) ([^,]+)", shape.shape))
        for axis, base in (("M", 40), ("N", 1000)):
            size = shape.workload.axes[axis]
            right = {
                "off by one": abs(size - base) == 1,
                "a prime": _is_prime(size),
                "not a multiple of 8": size % 8 != 0,
                "1": size == 1,
                None: size == base,
            }
            assert right[told.get(axis)]
            assert size == 1 or base // 3 <= size <= base + 1


def test_the_first_shape_has_one_axis_of_size_1():
    for seed in range(20):
        first = next(_shapes(problem(workload("a", 40, 1000), hidden=True), "cpu", Random(seed)))
        assert list(first.workload.axes.values()).count(1) == 1


def test_axes_that_an_expression_ties_together_stay_consistent():
    found = [s.workload.axes for seed in range(40) for s in _shapes(tied(), "cpu", Random(seed))]
    assert {axes["H"] % 4 for axes in found} == {0}
    assert len({axes["B"] for axes in found}) > 3


OPEN = [
    pytest.param(tied(), ("B", "H"), id="all"),
    pytest.param(closed(tied(), "H"), ("B",), id="one is closed"),
    pytest.param(closed(tied(), "B", "H"), (), id="all are closed"),
    pytest.param(
        tied(w={"type": "safetensors", "path": "w", "tensor_key": "w"}), ("B",), id="a stored one"
    ),
    pytest.param(
        tied(x={"type": "safetensors", "path": "x", "tensor_key": "x"}),
        (),
        id="stored, and tied by an expression",
    ),
    pytest.param(tied(x={"type": "custom"}, w={"type": "custom"}), (), id="own generator"),
]


@pytest.mark.parametrize(("task", "expected"), OPEN)
def test_what_a_problem_fixes_is_not_open(task, expected):
    assert open_axes(task.definition, task.workloads[0]) == expected


def test_what_is_fixed_is_never_moved():
    task = closed(tied(), "H")
    found = [s.workload.axes for seed in range(20) for s in _shapes(task, "cpu", Random(seed))]
    assert {axes["H"] for axes in found} == {64}
    assert list(_shapes(closed(task, "B"), "cpu", Random(1))) == []


def test_a_shape_on_which_the_reference_fails_is_given_up_and_another_drawn(court):
    source = (
        "import torch\n\n\ndef run(x):\n    assert len(x) % 2\n    return torch.softmax(x, 1)\n"
    )
    task = problem(workload("a", 15, 64), reference=source, hidden=True)
    found = drawn(court, task, Reference(task.definition))
    assert {n.workload.axes["M"] % 2 for n in found.neighbours} == {1}
    assert all("the reference fails there" in reason for reason in found.given_up)


def test_a_reference_that_serves_on_no_other_shape_leaves_no_neighbour(court):
    source = "import torch\n\n\ndef run(x):\n    assert x.shape == (16, 64)\n    return x * 2.0\n"
    task = problem(reference=source, hidden=True)
    found = drawn(court, task, Reference(task.definition))
    assert found.neighbours == []
    assert found.given_up


def test_two_draws_differ(court):
    task = problem(workload("a", 400, 600), hidden=True)
    reference = Reference(task.definition)
    first, second = (
        [n.workload.axes for n in drawn(court, task, reference).neighbours] for _ in range(2)
    )
    assert first != second


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_bundled_problems_have_neighbours(court, name):
    task = FORMAT.read(ROOT / "examples" / "problems" / name)
    found = drawn(court, task, Reference(task.definition))
    assert found.given_up == []
    # Between one row and four there are two and three, of which chance may draw one alone.
    assert len(found.neighbours) in ((1, 2) if name == "gemm_bf16" else (WANTED,))
