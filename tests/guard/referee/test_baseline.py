"""`guard.referee.baseline`: the fastest of what is already there, told with its rivals."""

import pytest
import torch

from guard.domain.errors import MalformedProblem
from guard.referee.baseline import baseline, contenders, fastest, middle, rivals, shown
from tests.guard.trials import POLICY, problem, workload

SLOW = "import time\nimport torch\n\n\ndef run(x, y):\n    time.sleep({0})\n{1}\n"
RIGHT = "    torch.softmax(x, dim=1, out=y)"


def module(source):
    space = {}
    exec(source, space)
    return space


@pytest.mark.parametrize("passing", [False, True])
def test_eager_is_the_reference_in_the_wanted_style(passing):
    task = problem()
    eager = contenders(task, passing=passing)["eager"]
    assert eager.destination_passing_style is passing
    run = module(eager.source)["run"]
    x, y = torch.randn(3, 5), torch.zeros(3, 5)
    result = run(x, y) if passing else run(x)
    assert torch.allclose(y if passing else result, torch.softmax(x, dim=1), atol=1e-6)


RETURNS = [
    pytest.param("return x * 2, x + 1", id="tuple"),
    pytest.param("return [x * 2, x + 1]", id="list"),
    pytest.param("return {'b': x + 1, 'a': x * 2}", id="dict in another order"),
]


@pytest.mark.parametrize("body", RETURNS)
def test_every_form_of_return_is_written_where_it_belongs(body):
    read = problem()
    spec = read.definition.outputs["y"]
    definition = read.definition.model_copy(
        update={"outputs": {"a": spec, "b": spec}, "reference": f"def run(x):\n    {body}\n"}
    )
    task = read.model_copy(update={"definition": definition})
    run = module(contenders(task, passing=True)["eager"].source)["run"]
    x, a, b = torch.ones(2, 2), torch.zeros(2, 2), torch.zeros(2, 2)
    run(x, a, b)
    assert (a == 2).all()
    assert (b == 2).all()


TIMED = [
    # latencies per process of each contender, those that are timed again, the fastest
    pytest.param({"a": [1.0], "b": [2.0]}, ["a"], "a", id="one is far ahead"),
    pytest.param({"a": [1.0], "b": [1.09]}, ["a", "b"], "a", id="two are close"),
    pytest.param({"a": [0.334, 0.36, 0.35], "b": [0.339, 0.34, 0.338]}, ["a", "b"], "b",
                 id="the lucky one loses"),
    pytest.param({"a": [1.0, 9.0, 1.0], "b": [1.05] * 3}, ["a", "b"], "a",
                 id="one disturbed process"),
]  # fmt: skip


@pytest.mark.parametrize(("times", "close", "best"), TIMED)
def test_the_median_over_processes_decides(times, close, best):
    timed = {kind: [{"w": ms} for ms in each] for kind, each in times.items()}
    assert rivals(timed) == close
    assert fastest(timed) == best


def test_workloads_weigh_alike_and_each_has_its_own_median():
    timed = [{"v": 1.0, "w": 4.0}, {"v": 3.0, "w": 2.0}, {"v": 2.0, "w": 9.0}]
    assert middle(timed) == {"v": 2.0, "w": 4.0}
    assert shown(timed[:1]) == "2.000000 ms in one process"
    told = "2.828427 ms, median of 3 processes from 2.000000 to 4.242641 ms"
    assert shown(timed) == told


def test_the_problems_own_baseline_takes_part_if_there_is_one():
    task = problem()
    assert set(contenders(task, passing=True)) == {"eager", "compiled", "baseline.py"}
    without = task.model_copy(update={"baseline_source": ""})
    assert set(contenders(without, passing=True)) == {"eager", "compiled"}


def test_the_fastest_contender_is_chosen_and_all_are_told(court):
    task = problem(workload("timed", 64, 2048)).model_copy(
        update={"baseline_source": SLOW.format(0.002, RIGHT)}
    )
    found = baseline(court, task, POLICY)
    assert found.kind in ("eager", "compiled")
    assert set(found.latency_ms) == {"timed"}
    assert found.latency_ms["timed"] > 0
    assert " ms" in found.contenders["eager"]
    assert found.contenders["baseline.py"].endswith(" ms in one process")
    assert set(found.contenders) == {"eager", "compiled", "baseline.py"}


def test_a_problem_without_any_right_contender_is_malformed(court):
    broken = "def run(x):\n    import os\n    return x / 0\n"
    task = problem(reference=broken).model_copy(update={"baseline_source": SLOW.format(0, "")})
    with pytest.raises((MalformedProblem, RuntimeError)):
        baseline(court, task, POLICY)
