"""`guard.referee.canary`: a device that computes wrongly, fails or hangs is told from others."""

import pytest

from guard.domain.trace import CompileReport, Judgement, Verification
from guard.referee.canary import LIMIT_S, canary
from guard.referee.court import Court
from guard.referee.sickness import doubtful, sick
from guard.wire import Cancelled, DoctorReport, DuelReport, Trouble, VerifyReport
from tests.guard import sick_referee
from tests.guard.duels import duel, failed, passed, wrong
from tests.guard.sick_referee import SickCpu


def test_a_healthy_device_passes_again_and_again(court):
    assert [canary(court) for _ in range(3)] == [""] * 3
    assert court._live == set()


@pytest.fixture
def sick_court(tmp_path, monkeypatch):
    path = tmp_path / "illness"
    monkeypatch.setenv(sick_referee.FILE, str(path))
    monkeypatch.setattr(sick_referee, "looked_at", True)
    device = SickCpu()
    made = Court(device, device.found()[0], pin_cpu=-1)
    yield made, path
    # Whatever hangs goes on.
    path.unlink()
    made.close()


ILLNESSES = [
    pytest.param("forgets", "came out wrong in the referee's process", id="wrong"),
    pytest.param("hangs", "did not come back within 0.5 s in the referee's process", id="hangs"),
    pytest.param("refuses", "failed in the referee's process (RuntimeError: out of", id="fails"),
]


@pytest.mark.parametrize(("ails", "reason"), ILLNESSES)
def test_what_ails_a_device_is_told(sick_court, ails, reason):
    ill, path = sick_court
    path.write_text(ails)
    # A busy host may keep a device that answers waiting; one that hangs answers never.
    assert reason in canary(ill, limit_s=0.5 if ails == "hangs" else LIMIT_S)


def judged(*evaluations):
    judgements = tuple(Judgement(workload="w", evaluation=e) for e in evaluations)
    compiled = CompileReport(ok=True)
    found = Verification(compiled=compiled, judgements=judgements)
    return VerifyReport(job="j", verification=found)


FAILED = (Judgement(workload="w", evaluation=failed("TIMEOUT")),)
ENDS = [
    # how an order ended, whether the device is looked at
    pytest.param(judged(passed()), False, id="passed"),
    pytest.param(judged(passed(), wrong()), False, id="wrong"),
    pytest.param(judged(), False, id="does not compile"),
    pytest.param(judged(passed(), failed("RUNTIME_ERROR")), True, id="died"),
    pytest.param(judged(failed("TIMEOUT")), True, id="timed out"),
    pytest.param(judged(failed("REWARD_HACK")), True, id="ended for a trick"),
    pytest.param(DuelReport(job="j", duel=duel({"w": 0.1})), False, id="duel"),
    pytest.param(DuelReport(job="j", duel=duel(failures=FAILED)), True, id="failed while timed"),
    pytest.param(Cancelled(job="j"), True, id="cancelled"),
    pytest.param(Trouble(job="j", code="device_unhealthy", message=""), True, id="trouble"),
    pytest.param(Trouble(job="j", code="referee_lost", message=""), True, id="undying"),
    pytest.param(Trouble(job="j", code="malformed_problem", message=""), False, id="problem"),
]


@pytest.mark.parametrize(("report", "looked_at"), ENDS)
def test_the_device_is_looked_at_after_a_failure_that_may_be_its_own(report, looked_at):
    assert doubtful(report) is looked_at
    assert not sick(report)


def test_a_referee_whose_device_failed_goes():
    doctor = DoctorReport(job="j", grade=0, layers=(), libs={}, canary="it hangs")
    assert sick(doctor) and not sick(doctor.model_copy(update={"canary": ""}))
    assert sick(Trouble(job="j", code="device_quarantined", message=""))
