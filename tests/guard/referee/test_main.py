"""`guard.referee.main`: orders in, reports out, in a process of its own; one on the device."""

import pytest

from guard.asks import KeepAsk
from guard.wire import (
    BaselineOrder,
    CancelOrder,
    DoctorOrder,
    DoctorReport,
    DuelReport,
    Progress,
    Trouble,
    VerifyOrder,
    VerifyReport,
    send,
)
from tests.guard.line import Line
from tests.guard.trials import POLICY, duel_order, problem, solution

ENDLESS = solution("def run(x, y):\n    while True:\n        pass\n")
PATIENT = POLICY.model_copy(update={"first_call_limit_s": 300})


@pytest.fixture(scope="module")
def line():
    made = Line()
    yield made
    made.close()


def verify_order(job, candidate=None, policy=POLICY):
    return VerifyOrder(job=job, problem=problem(), solution=candidate or solution(), policy=policy)


def test_orders_of_the_device_are_answered_in_turn(line):
    line.order(DoctorOrder(job="one"))
    line.order(duel_order(solution()).model_copy(update={"job": "two"}))
    line.order(DoctorOrder(job="three"))
    reports = [line.report() for _ in range(3)]
    assert [type(r) for r in reports] == [DoctorReport, DuelReport, DoctorReport]
    assert [r.job for r in reports] == ["one", "two", "three"]
    assert reports[1].duel.failures == ()


def test_progress_carries_the_job(line):
    line.order(verify_order("steps"))
    first = line.next()
    assert isinstance(first, Progress)
    assert (first.job, first.message) == ("steps", "compiling")
    assert isinstance(line.report(), VerifyReport)


def test_every_layer_is_tried_by_the_doctor(line):
    line.order(DoctorOrder())
    found = line.report()
    names = [layer.name for layer in found.layers]
    assert {"limits", "no_new_privs", "mount", "pid"} <= set(names)
    assert len(set(names)) == len(names)
    assert all(layer.works or layer.detail for layer in found.layers)


def test_an_order_under_way_is_ended_by_its_cancellation(line):
    line.order(verify_order("endless", ENDLESS, PATIENT))
    while "checking" not in line.next().message:
        continue
    line.order(CancelOrder(job="endless"))
    assert line.cancelled() == "endless"


def test_a_queued_order_is_never_begun_once_cancelled(line):
    line.order(verify_order("endless", ENDLESS, PATIENT))
    while "checking" not in line.next().message:
        continue
    line.order(DoctorOrder(job="queued"))
    line.order(CancelOrder(job="queued"))
    line.order(CancelOrder(job="endless"))
    assert [line.cancelled(), line.cancelled()] == ["endless", "queued"]


def test_the_order_after_a_cancelled_one_is_carried_out(line):
    line.order(verify_order("after"))
    assert line.report().verification.passed


def test_a_cancellation_of_nothing_cancels_nothing_later(line):
    # It crosses the report on its way when an order has just ended.
    line.order(CancelOrder(job="again"))
    line.order(DoctorOrder(job="again"))
    assert isinstance(line.report(), DoctorReport)


def test_a_failing_champion_is_reported_as_trouble(line):
    line.order(duel_order(solution(), ENDLESS.model_copy(update={"entry_point": "none"})))
    found = line.report()
    assert isinstance(found, Trouble)
    assert found.code == "device_unhealthy"
    assert "the champion" in found.message


def test_a_broken_reference_is_the_problems_fault(line):
    broken = problem(reference="import no_such_module\ndef run(x):\n    return x\n")
    line.order(duel_order(solution()).model_copy(update={"problem": broken}))
    found = line.report()
    assert (type(found), found.code) == (Trouble, "malformed_problem")


def test_a_referee_ends_with_its_server():
    line = Line()
    assert line.close() == 0


def test_what_is_no_order_ends_the_referee_instead_of_silencing_it():
    line = Line()
    send(line.sock, KeepAsk())
    try:
        # Anything but silence: an answer, or the end of the process.
        line.process.wait(20)
    finally:
        line.process.kill()
        line.close()


def test_a_baseline_order_is_refused_where_nothing_can_be_timed(line):
    without = problem().model_copy(update={"baseline_source": ""})
    definition = without.definition.model_copy(
        update={"reference": "raise ValueError('no')\ndef run(x):\n    return x\n"}
    )
    task = without.model_copy(update={"definition": definition})
    line.order(BaselineOrder(job="base", problem=task, policy=POLICY))
    found = line.report()
    assert (type(found), found.code) == (Trouble, "malformed_problem")
