"""Every way to fail, in a real referee: named, its tree gone, the next one served in time."""

import time
from contextlib import suppress

import psutil
import pytest

from benchmarks.faults import FAULTS, LEFT_BEHIND
from guard.referee.spares import SPARES
from guard.wire import Progress, VerifyOrder, VerifyReport
from tests.guard.line import Line
from tests.guard.trials import POLICY, problem, solution

PATIENT = POLICY.model_copy(update={"memory_bytes": 2**28})
# Only who never ends by itself meets a limit: a busy host must not turn other faults into it.
HASTY = PATIENT.model_copy(update={"first_call_limit_s": 1.5, "call_limit_s": 1.5})
NEXT_LIMIT_S = 2.0
ATTEMPTS = 5
"""Times that a busy host may keep the next verdict waiting; what a fault leaves does so always."""
GONE_LIMIT_S = 5.0
# Of each runner that waits for a candidate, itself and its keeper, which are forks of the zygote.
STAYING = ["guard.clerk", *["guard.runner.zygote"] * (1 + 2 * SPARES)]


@pytest.fixture(scope="module")
def line():
    made = Line()
    # The first verdict also pays for the start.
    ask(made, "warm", solution())
    made.report()
    yield made
    made.close()


def ask(line, job, candidate, policy=PATIENT):
    line.order(VerifyOrder(job=job, problem=problem(), solution=candidate, policy=policy))


def told(line, job):
    """All that is said of a job until its report, that report last."""
    said = []
    while not said or isinstance(said[-1], Progress):
        said += [one for one in [line.next()] if one.job == job]
    return said


def below(line):
    """The modules that run below the referee; a runner shows that of its zygote."""
    found = []
    for process in psutil.Process(line.process.pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            command = process.cmdline()
            found.append(command[command.index("-m") + 1] if "-m" in command else str(command))
    return sorted(found)


def next_verdict_s(line, fault):
    """Hand in the fault, then an honest candidate: seconds from the verdict on one to the other."""
    sibling = f"behind {fault.name}"
    policy = HASTY if fault.status == "TIMEOUT" else PATIENT
    ask(line, fault.name, solution(fault.source, language=fault.language), policy)
    # Another agent's, waiting behind it all the time.
    ask(line, sibling, solution())
    *steps, report = told(line, fault.name)
    at_s = time.monotonic()
    (judgement,) = report.verification.judgements
    assert judgement.evaluation.status == fault.status, judgement.evaluation.log
    assert fault.evidence in judgement.evaluation.log
    # The canary was asked, and it passed: else no verdict had come.
    assert [step.message for step in steps][-1] == "checking the device"

    *_, report = told(line, sibling)
    assert isinstance(report, VerifyReport) and report.verification.passed
    return time.monotonic() - at_s


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_a_fault_is_named_and_the_next_candidate_is_judged(line, fault):
    waited_s = []
    while not waited_s or (waited_s[-1] >= NEXT_LIMIT_S and len(waited_s) < ATTEMPTS):
        waited_s.append(next_verdict_s(line, fault))
    assert waited_s[-1] < NEXT_LIMIT_S, waited_s

    deadline = time.monotonic() + GONE_LIMIT_S
    while below(line) != STAYING and time.monotonic() < deadline:
        time.sleep(0.02)
    assert below(line) == STAYING
    assert [p for p in psutil.process_iter(["name"]) if p.info["name"] == LEFT_BEHIND] == []
