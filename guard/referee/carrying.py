"""What is done with an order in each lane: the calls into rules, builders, checks and duels.

    Case ─ screened ─> report, if its road ends there         Case ─ carry_out ─> report

Start at `carry_out`. Not here: who does it when, and what is told of a failure (`main`).
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from guard.domain.decision import Policy
from guard.domain.value import Value
from guard.lock import exclusive
from guard.referee.baseline import baseline
from guard.referee.canary import canary
from guard.referee.court import Court, libraries
from guard.referee.duel import duel
from guard.referee.lanes import Case
from guard.referee.screening import judge, screen
from guard.referee.stays import Stay
from guard.wire import (
    BaselineOrder,
    BaselineReport,
    DoctorOrder,
    DoctorReport,
    DuelOrder,
    DuelReport,
    Layer,
    VerifyOrder,
    VerifyReport,
)

DEVICE_WAIT_S = 600.0


def screened(court: Court, case: Case) -> Value | None:
    """The compile lane's part of a verification: its report, if the road ends there."""
    case.stay.at("compile")
    order = case.order
    case.screened = screen(court, order.problem, order.solution, order.policy, order.known)
    if case.screened.ended is None:
        return None
    return VerifyReport(job=case.job, verification=case.screened.ended)


def carry_out(held: ExitStack, court: Court, case: Case) -> Value:
    """The device lane's part of one order: its report; `held` has the device until all is gone."""
    match case.order:
        case VerifyOrder(problem=problem, solution=solution, policy=policy, known=known):
            # Another server's duel on this device must not be disturbed either.
            held.enter_context(alone(court, case.stay))
            with court.ending_late():
                found = case.screened or screen(court, problem, solution, policy, known)
                judged = judge(court, problem, solution, policy, found)
            return VerifyReport(job=case.job, verification=judged)
        case DuelOrder() as order:
            with court.quiet.kept(court.check_cancelled), alone(court, case.stay):
                return DuelReport(job=case.job, duel=duel(court, order))
        case BaselineOrder(problem=problem, policy=policy):
            with court.quiet.kept(court.check_cancelled), alone(court, case.stay):
                chosen = baseline(court, problem, policy)
                return BaselineReport(job=case.job, baseline=chosen)
        case DoctorOrder() as order:
            case.stay.at("device")
            return examine(court, order)
    raise ValueError(f"no such order: {case.order!r}")


@contextmanager
def alone(court: Court, stay: Stay | None = None) -> Iterator[None]:
    """Keep the device from every other server; from then on it is the order's."""
    name = court.identity.facts.get("uuid", court.identity.name)
    with exclusive(name, wait_s=DEVICE_WAIT_S):
        if stay is not None:
            stay.at("device")
        yield


def examine(court: Court, order: DoctorOrder) -> DoctorReport:
    """Try the device by a canary, and every sandbox layer by starting a runner."""
    if why := canary(court):
        libs = libraries()
        return DoctorReport(job=order.job, grade=0, layers=(), libs=libs, canary=why)
    with court.runner(Policy(), fresh=True) as runner:
        layers = [Layer(name=name, works=True) for name in runner.held]
        layers += [Layer(name=n, works=False, detail=why) for n, why in runner.fell.items()]
        grade = runner.grade
    return DoctorReport(job=order.job, grade=grade, layers=tuple(layers), libs=libraries())
