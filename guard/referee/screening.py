"""The first steps of a verification, which need no device: static rules, then the compiler.

    Solution -> clerk -> refused | built -> COMPILE_ERROR | (device) verified, with the hints

The rules are an early filter. Whatever passes them is judged by running it, as if there were none.
Start at `screen`, then `judge`. Not here: the rules (`guard.rules`), reading (`guard.clerk`).
"""

from collections.abc import Container
from typing import Literal, NamedTuple

from guard.domain.decision import Policy
from guard.domain.problem import Problem
from guard.domain.solution import Solution
from guard.domain.trace import CompileReport, Failed, Judgement, Remark, Verification
from guard.referee.court import Court, now
from guard.referee.verification import MAX_LOG, verify


class Screened(NamedTuple):
    """What is known of a candidate without the device."""

    hints: tuple[Remark, ...] = ()
    ended: Verification | None = None
    """Its verification, if the road ends here."""


def screen(
    court: Court,
    problem: Problem,
    solution: Solution,
    policy: Policy,
    known: Container[str] = (),
) -> Screened:
    """Refuse what no kernel has a reason to do, else build it.

    The road ends, without a judgement, at machine code whose digest is among `known` ones.

    Raises:
        OrderCancelled, RefereeLost: nothing is known of the candidate then.
    """
    court.check_cancelled()
    noticed = court.clerk.notice(solution)
    if noticed.refusals:
        refusal = f"refused: {noticed.refusals[0]}"
        return Screened(ended=_ended(court, problem, "REWARD_HACK", refusal))
    court.step(0, 1, "compiling")
    report = court.build(solution, policy).report.model_copy(update={"hints": noticed.hints})
    if report.ok and report.code_digest and report.code_digest in known:
        return Screened(ended=Verification(compiled=report, judgements=()))
    if report.ok:
        return Screened(noticed.hints)
    failed = _ended(court, problem, "COMPILE_ERROR", report.messages, report)
    return Screened(noticed.hints, failed)


def judge(
    court: Court, problem: Problem, solution: Solution, policy: Policy, screened: Screened
) -> Verification:
    """Verify what was screened; hints stay in the record.

    Raises:
        OrderCancelled, RefereeLost: nothing is known of the candidate then.
    """
    if screened.ended is not None:
        return screened.ended
    found = verify(court, problem, solution, policy)
    compiled = found.compiled.model_copy(update={"hints": screened.hints})
    return found.model_copy(update={"compiled": compiled})


def _ended(
    court: Court,
    problem: Problem,
    status: Literal["REWARD_HACK", "COMPILE_ERROR"],
    log: str,
    report: CompileReport | None = None,
) -> Verification:
    """The same evaluation on every workload; of a refusal one rule with its evidence alone."""
    failed = Failed(
        status=status, environment=court.environment(0), timestamp=now(), log=log[:MAX_LOG]
    )
    workloads = problem.workloads_for(court.identity.kind)
    return Verification(
        compiled=report or CompileReport(ok=False),
        judgements=tuple(Judgement(workload=w.uuid, evaluation=failed) for w in workloads),
    )
