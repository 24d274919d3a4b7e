"""`guard.referee.lanes`: who does not compile waits for no device; each lane is cancelled."""

import subprocess
import sys

import psutil
import pytest

from guard.referee.court import OrderCancelled
from guard.referee.lanes import Docket, Lane
from guard.wire import (
    Cancelled,
    CancelOrder,
    DoctorOrder,
    DoctorReport,
    DuelReport,
    Progress,
    VerifyOrder,
    VerifyReport,
)
from tests.guard.line import ROOT, Line
from tests.guard.trials import POLICY, duel_order, problem, solution

ENDLESS = solution("def run(x, y):\n    while True:\n        pass\n")
PATIENT = POLICY.model_copy(update={"first_call_limit_s": 300, "compile_limit_s": 300})
SLOW = (
    "template <int n, long m> struct F {{ static constexpr long v = "
    "F<n - 1, 2 * m>::v + F<n - 1, 2 * m + 1>::v; }};\n"
    "template <long m> struct F<0, m> {{ static constexpr long v = m; }};\n"
    "long f{number}() {{ return F<30, 0>::v; }}\n"
)
"""What a compiler is busy with for as long as it is let."""


@pytest.fixture(scope="module")
def line():
    made = Line("tests.guard.roomy_referee")
    yield made
    made.close()


def verify(job, candidate):
    return VerifyOrder(job=job, problem=problem(), solution=candidate, policy=PATIENT)


def until(line, message):
    """Everything that is said up to this step."""
    said = [line.next()]
    while not (isinstance(said[-1], Progress) and message in said[-1].message):
        said.append(line.next())
    return said


def test_what_does_not_compile_or_is_refused_never_waits_for_the_device(line):
    line.order(verify("endless", ENDLESS))
    until(line, "checking")
    line.order(verify("waits", solution()))
    said = until(line, "waiting for the device")
    assert [(step.job, step.message) for step in said] == [
        ("waits", "compiling"),
        ("waits", "waiting for the device"),
    ]
    line.order(verify("broken", solution("def run(:\n")))
    found = line.report()
    assert (found.job, found.verification.judgements[0].evaluation.status) == (
        "broken",
        "COMPILE_ERROR",
    )
    line.order(verify("refused", solution("import time\ntime.perf_counter = None\n")))
    found = line.report()
    assert (found.job, found.verification.judgements[0].evaluation.status) == (
        "refused",
        "REWARD_HACK",
    )
    # It was compiled, or it waited: neither takes anything of the device.
    assert (found.spent.device_s, found.spent.compile_s > 0) == (0, True)
    line.order(CancelOrder(job="waits"))
    line.order(CancelOrder(job="endless"))
    endless, waits = line.report(), line.report()
    assert [type(endless), type(waits)] == [Cancelled, Cancelled]
    assert [endless.job, waits.job] == ["endless", "waits"]
    assert endless.spent.device_s > 0 == waits.spent.device_s
    assert waits.spent.wait_s > 0


def test_a_compile_error_is_answered_while_a_duel_is_under_way(line):
    line.order(duel_order(solution(), pairs=4))
    until(line, "timing workload")
    line.order(verify("broken", solution("def run(:  # again\n")))
    assert isinstance(line.report(), VerifyReport)
    assert isinstance(line.report(), DuelReport)


def test_builders_work_at_the_same_time_and_each_can_be_cancelled(line):
    sources = [solution(SLOW.format(number=n), language="cpp") for n in range(3)]
    for number, source in enumerate(sources[:2]):
        line.order(verify(f"slow {number}", source))
    said = [line.next(), line.next()]
    assert {(step.job, step.message) for step in said} == {
        ("slow 0", "compiling"),
        ("slow 1", "compiling"),
    }
    line.order(verify("slow 2", sources[2]))
    assert line.next().message == "waiting for the compile lane"
    line.order(CancelOrder(job="slow 2"))
    # The device is free all the time.
    line.order(DoctorOrder())
    assert isinstance(line.report(), DoctorReport)
    line.order(CancelOrder(job="slow 1"))
    assert [line.cancelled(), line.cancelled()] == ["slow 1", "slow 2"]
    line.order(CancelOrder(job="slow 0"))
    assert line.cancelled() == "slow 0"
    line.order(verify("after", solution()))
    assert line.report().verification.passed


def test_a_referee_with_busy_lanes_ends_with_its_server():
    made = Line("tests.guard.roomy_referee")
    made.order(verify("slow", solution(SLOW.format(number=9), language="cpp")))
    made.order(verify("endless", ENDLESS))
    until(made, "checking")
    below = psutil.Process(made.process.pid).children(recursive=True)
    made.close()
    assert psutil.wait_procs(below, timeout=60)[1] == []


def test_a_cancellation_finds_a_case_wherever_it_is(court):
    docket = Docket()
    other = court.aside()
    case = docket.open(DoctorOrder(job="a"))
    assert docket.begin(case, other)
    assert docket.at_work() == [other]
    docket.cancel("a")
    with pytest.raises(OrderCancelled):
        other.check_cancelled()
    # Whatever this court does next is another matter, and the other lane does not begin.
    docket.leave(case)
    other.check_cancelled()
    assert not docket.begin(case, court)
    docket.close(case)
    assert docket.begin(docket.open(DoctorOrder(job="a")), court)


def test_who_is_not_free_to_take_a_case_lets_it_wait():
    lane, told = Lane("device", "the device", 1), []
    docket = Docket()
    cases = [docket.open(DoctorOrder(job=job)) for job in "abc"]
    lane.put(cases[0], lambda: told.append("a"))
    with lane.taken() as case:
        assert case is cases[0]
        lane.put(cases[1], lambda: told.append("b"))
        lane.put(cases[2], lambda: told.append("c"))
    with lane.taken() as case:
        assert case is cases[1]
    assert told == ["b", "c"]


FAILING = """
import threading, time
from guard.referee.lanes import end_with_thread

threading.excepthook = end_with_thread
threading.Thread(target=lambda: 1 / 0).start()
time.sleep(60)
"""


def test_a_process_ends_with_a_thread_that_failed():
    ran = subprocess.run(
        [sys.executable, "-c", FAILING], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, "ZeroDivisionError" in ran.stderr) == (1, True)
