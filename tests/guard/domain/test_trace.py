"""`guard.domain.trace`: an evaluation is what its status says."""

import json

import pytest
from pydantic import TypeAdapter, ValidationError

from guard.domain.probe import Neighbours, Probe
from guard.domain.solution import Solution, Source
from guard.domain.trace import (
    Baseline,
    CompileReport,
    Correctness,
    Environment,
    Evaluation,
    Failed,
    IncorrectNumerical,
    Judgement,
    Passed,
    Performance,
    Timed,
    Verification,
)

EVALUATION = TypeAdapter(Evaluation)
COMMON = {
    "environment": Environment(hardware="cpu", libs={}),
    "timestamp": "2026-12-01T10:00:00Z",
}
CORRECT = Correctness(max_relative_error=0.0, max_absolute_error=0.0)
FAST = Performance(latency_ms=1.0, reference_latency_ms=2.0, speedup_factor=2.0)

KINDS = [
    pytest.param(Passed(correctness=CORRECT, **COMMON), id="passed"),
    pytest.param(Timed(correctness=CORRECT, performance=FAST, **COMMON), id="timed"),
    pytest.param(IncorrectNumerical(correctness=CORRECT, **COMMON), id="incorrect"),
    pytest.param(Failed(status="TIMEOUT", log="20 s", **COMMON), id="timeout"),
    pytest.param(Failed(status="REWARD_HACK", **COMMON), id="reward hack"),
]


@pytest.mark.parametrize("evaluation", KINDS)
def test_an_evaluation_comes_back_as_the_same_kind(evaluation):
    judgement = Judgement(workload="w", evaluation=evaluation)
    again = Judgement.model_validate_json(judgement.model_dump_json())
    assert type(again.evaluation) is type(evaluation)
    assert again == judgement


def _raw(status, **fields):
    environment = {"hardware": "cpu", "libs": {}}
    return {"status": status, "environment": environment, "timestamp": "t", **fields}


CORRECT_RAW = CORRECT.model_dump()
FAST_RAW = FAST.model_dump()


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(_raw("PASSED"), id="passed without correctness"),
        pytest.param(_raw("INCORRECT_NUMERICAL"), id="incorrect without correctness"),
        pytest.param(
            _raw("INCORRECT_NUMERICAL", correctness=CORRECT_RAW, performance=FAST_RAW),
            id="incorrect but timed",
        ),
        pytest.param(_raw("TIMEOUT", correctness=CORRECT_RAW), id="timeout with numbers"),
        pytest.param(_raw("SLOW"), id="unknown status"),
        pytest.param({}, id="nothing"),
    ],
)
def test_fields_that_do_not_belong_to_the_status_are_refused(raw):
    with pytest.raises(ValidationError):
        EVALUATION.validate_python(raw)


@pytest.mark.parametrize("value", [float("nan"), float("inf")], ids=["NaN", "inf"])
def test_no_number_outside_strict_json_enters(value):
    with pytest.raises(ValidationError):
        Correctness(max_relative_error=value, max_absolute_error=0.0)
    with pytest.raises(ValidationError):
        Performance(latency_ms=value, reference_latency_ms=1.0, speedup_factor=1.0)


def _verification(*evaluations):
    judged = tuple(Judgement(workload=str(i), evaluation=e) for i, e in enumerate(evaluations))
    return Verification(compiled=CompileReport(ok=True), judgements=judged)


def test_a_verification_passes_only_when_every_workload_does():
    passed, failed = Passed(correctness=CORRECT, **COMMON), Failed(status="TIMEOUT", **COMMON)
    assert _verification(passed, passed).passed
    assert not _verification(passed, failed).passed
    assert not _verification().passed


def test_an_evaluation_is_strict_json():
    text = Judgement(workload="w", evaluation=Passed(correctness=CORRECT, **COMMON))
    assert json.loads(text.model_dump_json())["evaluation"]["status"] == "PASSED"


def test_wrong_answers_that_need_not_be_refused_leave_a_problem_admitted():
    source = Source(path="a.py", content="x")
    solution = Solution(definition="d", language="pytorch", sources=(source,))
    probes = (
        Probe(workload="w", impostor="zeros", refused="further off"),
        Probe(workload="w", impostor="lost digits", refused="", required=False),
    )
    given = {"kind": "eager", "solution": solution, "latency_ms": {"w": 1.0}, "contenders": {}}
    assert Baseline(**given, probes=probes).loose == ()
    passing = Probe(workload="w", impostor="the mean", refused="")
    assert Baseline(**given, probes=(*probes, passing)).loose == (passing,)
    near = Neighbours(probes=(passing,))
    assert Baseline(**given, probes=probes, neighbours=near).loose == ()


ENDED, UNENDED = CompileReport(ok=False), CompileReport(ok=False, ended=False)
BUILT = CompileReport(ok=True)
LATE, WRONG = (Failed(status=s, **COMMON) for s in ("TIMEOUT", "RUNTIME_ERROR"))
BROKEN = Failed(status="INVALID_REFERENCE", **COMMON)
RIGHT = Passed(correctness=CORRECT, **COMMON)
CONCLUSIVE = [
    # how it compiled, what was judged, whether that says something of the candidate
    pytest.param(BUILT, (RIGHT, RIGHT), True, id="right"),
    pytest.param(BUILT, (RIGHT, WRONG), True, id="wrong"),
    pytest.param(BUILT, (WRONG, LATE), True, id="wrong, then late"),
    pytest.param(BUILT, (RIGHT, LATE), False, id="late"),
    pytest.param(BUILT, (BROKEN,), False, id="the reference failed"),
    pytest.param(BUILT, (), True, id="compiled, not verified"),
    pytest.param(ENDED, (Failed(status="COMPILE_ERROR", **COMMON),), True, id="no program"),
    pytest.param(UNENDED, (Failed(status="COMPILE_ERROR", **COMMON),), False, id="compiler late"),
]


@pytest.mark.parametrize(("compiled", "evaluations", "expected"), CONCLUSIVE)
def test_what_ran_out_of_time_shows_nothing(compiled, evaluations, expected):
    judgements = tuple(Judgement(workload="w", evaluation=e) for e in evaluations)

    verification = Verification(compiled=compiled, judgements=judgements)

    assert verification.conclusive is expected
