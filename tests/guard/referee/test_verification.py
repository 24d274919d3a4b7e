"""`guard.referee.verification`: every workload gets its own status, whatever happened before it."""

import re

import pytest

from guard.referee.court import OrderCancelled
from guard.referee.verification import verify
from tests.guard.trials import (
    HONEST,
    POLICY,
    RETURNING,
    WRONG,
    problem,
    solution,
    workload,
)

TWO = (workload("first"), workload("second", 8, 100))
OPEN = problem(*TWO, hidden=True)
BRISK = POLICY.model_copy(update={"call_limit_s": 8.0})


def statuses(court, source, *, task=None, **options):
    found = verify(court, task or problem(*TWO), solution(source, **options), BRISK)
    return {j.workload: j.evaluation.status for j in found.judgements}


def both(status):
    return {"first": status, "second": status}


CPP = """
#include <cmath>
#include <cstdint>
extern "C" void run(const float* x, float* y, int64_t M, int64_t N) {
    for (int64_t i = 0; i < M; i++) {
        double total = 0;
        for (int64_t j = 0; j < N; j++) total += std::exp((double)x[i * N + j]);
        for (int64_t j = 0; j < N; j++) y[i * N + j] = std::exp((double)x[i * N + j]) / total;
    }
}
"""
SOURCES = [
    pytest.param(HONEST, {}, "PASSED", id="pytorch"),
    pytest.param(RETURNING, {"returns": True}, "PASSED", id="pytorch in return style"),
    pytest.param(CPP, {"language": "cpp"}, "PASSED", id="C++"),
    pytest.param(WRONG, {}, "INCORRECT_NUMERICAL", id="wrong"),
    pytest.param("def run(x, y:", {}, "COMPILE_ERROR", id="syntax"),
    pytest.param("int run(", {"language": "cpp"}, "COMPILE_ERROR", id="C++ syntax"),
    pytest.param("def go(x, y):\n    pass\n", {}, "RUNTIME_ERROR", id="no entry"),
    pytest.param("raise SystemExit(0)\n", {}, "RUNTIME_ERROR", id="leaves when loaded"),
    pytest.param("def run(x, y):\n    exit(0)\n", {}, "RUNTIME_ERROR", id="leaves when called"),
    pytest.param(
        "import os\ndef run(x, y):\n    os._exit(1)\n", {}, "RUNTIME_ERROR", id="dies when called"
    ),
    pytest.param(
        "import torch\ndef run(x, y):\n    torch.softmax(x, dim=1, out=y)\n    x.zero_()\n",
        {},
        "REWARD_HACK",
        id="changes its inputs",
    ),
    pytest.param(
        "import torch\ndef run(x):\n    return torch.softmax(x, dim=1)[1:]\n",
        {"returns": True},
        "INCORRECT_SHAPE",
        id="another shape",
    ),
]


@pytest.mark.parametrize(("source", "options", "status"), SOURCES)
def test_what_happened_is_told(court, source, options, status):
    assert set(statuses(court, source, **options).values()) == {status}


def test_who_fails_on_the_smallest_workload_is_told_of_that_one_alone(court):
    assert statuses(court, WRONG) == {"second": "INCORRECT_NUMERICAL"}
    assert set(statuses(court, HONEST)) == {"first", "second"}


def test_workloads_after_a_wrong_one_are_still_judged(court):
    wrong_once = (
        "import torch\ndef run(x, y):\n    torch.softmax(x, dim=1, out=y)\n"
        "    if len(x) == 16:\n        y.mul_(2)\n"
    )
    expected = {"first": "INCORRECT_NUMERICAL", "second": "PASSED"}
    assert statuses(court, wrong_once) == expected


def test_workloads_after_a_death_say_that_they_were_not_run(court):
    source = (
        "import os\nimport torch\ndef run(x, y):\n    torch.softmax(x, dim=1, out=y)\n"
        "    if len(x) == 16:\n        os._exit(7)\n"
    )
    found = verify(court, problem(*TWO), solution(source), POLICY)
    logs = {j.workload: j.evaluation.log for j in found.judgements}
    died, log = "first", logs.pop("first")
    assert "exit code 7" in log or "ended the process" in log
    why = log.splitlines()[0]
    # In whichever order they came, the other was judged before or not at all.
    for other in logs.values():
        assert (
            other == f"not run: the candidate had already failed on workload {died!r}: {why}"
            or "not run" not in other
        )


def test_who_dies_on_a_hidden_shape_is_judged_on_the_listed_ones_nevertheless(court):
    source = ONLY_LISTED.format(fault="import os; os._exit(7)")
    for _ in range(3):
        found = verify(court, OPEN, solution(source), POLICY)
        assert {j.evaluation.status for j in found.listed} == {"PASSED"}
        hidden = [j.evaluation for j in found.judgements if j.hidden]
        assert {evaluation.status for evaluation in hidden} == {"RUNTIME_ERROR"}
        assert sum(not e.log.startswith("not run") for e in hidden) == 1


def test_a_passed_workload_says_what_was_compared_and_where(court):
    found = verify(court, problem(), solution("print('hello')\n" + HONEST), POLICY)
    assert found.passed
    (judgement,) = found.judgements
    evaluation = judgement.evaluation
    assert "are within tolerance" in evaluation.log
    assert evaluation.log.endswith("hello")
    assert evaluation.correctness.matched_ratio == 1.0
    assert evaluation.environment.hardware == court.identity.hardware
    assert evaluation.environment.libs["torch"]
    assert 0 <= evaluation.environment.sandbox_grade <= 3


@pytest.mark.parametrize(
    "reference",
    [
        pytest.param("raise ValueError('no')\ndef run(x):\n    pass\n", id="does not load"),
        pytest.param("def run(x):\n    return x[0]\n", id="another shape"),
        pytest.param("def run(x):\n    return x / 0\n", id="not finite"),
    ],
)
def test_a_broken_reference_is_the_problems_fault(court, reference):
    task = problem(*TWO, reference=reference)
    assert statuses(court, HONEST, task=task) == both("INVALID_REFERENCE")


def test_a_language_of_another_device_is_compiled_and_no_more(court):
    kernel = 'extern "C" __global__ void k(float* y) { y[0] = 1.0f; }'
    found = verify(court, problem(), solution(kernel, language="cuda"), POLICY)
    assert not found.passed
    if found.compiled.ok:
        assert found.judgements == ()
        assert found.note


def test_an_order_cancelled_before_it_starts_is_not_judged(court):
    court.cancel()
    try:
        with pytest.raises(OrderCancelled):
            verify(court, problem(), solution(), POLICY)
    finally:
        court.resume()


ONLY_LISTED = (
    "import torch\ndef run(x, y):\n    torch.softmax(x, dim=1, out=y)\n"
    "    if tuple(x.shape) not in ((16, 64), (8, 100)):\n        {fault}\n"
)
FAULTS = [
    pytest.param("y[-1, -1] += 1.0", "INCORRECT_NUMERICAL", "too far off", id="one element"),
    pytest.param("y.fill_(float('nan'))", "INCORRECT_NUMERICAL", "not finite", id="NaN"),
    pytest.param("raise ValueError(x.shape)", "RUNTIME_ERROR", "raised or ended", id="raises"),
    pytest.param("x.zero_()", "REWARD_HACK", "broke a rule", id="changes its inputs"),
]


@pytest.mark.parametrize(("fault", "status", "told"), FAULTS)
def test_what_is_right_on_listed_shapes_alone_is_refused(court, fault, status, told):
    source = ONLY_LISTED.format(fault=fault)
    found = verify(court, OPEN, solution(source), POLICY)
    assert not found.passed
    assert {j.evaluation.status for j in found.listed} == {"PASSED"}
    hidden = [j for j in found.judgements if j.hidden]
    assert [j.workload for j in hidden] == ["hidden-1", "hidden-2", "hidden-3"]
    for judgement in hidden:
        assert judgement.evaluation.status == status
        assert told in judgement.evaluation.log


def test_a_hidden_failure_names_no_size_and_quotes_nothing(court):
    source = ONLY_LISTED.format(fault="raise ValueError(f'seen {tuple(x.shape)}')")
    found = verify(court, OPEN, solution("print('seen')\n" + source), POLICY)
    for judgement in found.judgements:
        if judgement.hidden:
            log = judgement.evaluation.log
            assert "seen" not in log
            assert {int(n) for n in re.findall(r"\d+", log)} <= {1, 8}


def test_hidden_and_listed_shapes_come_mixed(court):
    source = "import torch\ndef run(x, y):\n    print(*x.shape)\n    torch.softmax(x, 1, out=y)\n"
    places = set()
    for _ in range(12):
        found = verify(court, OPEN, solution(source), POLICY)
        printed = found.listed[0].evaluation.log.splitlines()[1:]
        shapes = list(dict.fromkeys(line for line in printed if line))
        # The smallest listed one always comes first, for a single call.
        places.add(shapes[1] in ("16 64", "8 100"))
        if len(places) == 2:
            break
    assert places == {True, False}


@pytest.mark.parametrize(
    ("task", "hidden"), [(OPEN, 3), (problem(*TWO), 0)], ids=["open", "closed"]
)
def test_only_open_axes_have_hidden_shapes(court, task, hidden):
    found = verify(court, task, solution(), POLICY)
    assert found.passed
    assert [j.workload for j in found.listed] == ["first", "second"]
    assert len(found.judgements) == 2 + hidden
