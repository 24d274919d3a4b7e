"""The first step of a verification: static rules over the source, before anything is compiled.

    Solution -> clerk -> refused | verified, with the hints in the record

The rules are an early filter. Whatever passes them is judged by running it, as if there were none.
Start at `screen`. Not here: the rules (`guard.rules`), reading (`guard.clerk`).
"""

from guard.domain.decision import Policy
from guard.domain.problem import Problem
from guard.domain.solution import Solution
from guard.domain.trace import CompileReport, Failed, Judgement, Remark, Verification
from guard.referee.court import Court, now
from guard.referee.verification import verify


def screen(court: Court, problem: Problem, solution: Solution, policy: Policy) -> Verification:
    """Refuse what no kernel has a reason to do, else verify; hints stay in the record.

    Raises:
        OrderCancelled, RefereeLost: nothing is known of the candidate then.
    """
    court.check_cancelled()
    noticed = court.clerk.notice(solution)
    if noticed.refusals:
        return _refused(court, problem, noticed.refusals[0])
    found = verify(court, problem, solution, policy)
    compiled = found.compiled.model_copy(update={"hints": noticed.hints})
    return found.model_copy(update={"compiled": compiled})


def _refused(court: Court, problem: Problem, remark: Remark) -> Verification:
    """The same evaluation on every workload: one rule with its evidence, and no more."""
    refused = Failed(
        status="REWARD_HACK",
        environment=court.environment(0),
        timestamp=now(),
        log=f"refused: {remark}",
    )
    return Verification(
        compiled=CompileReport(ok=False),
        judgements=tuple(
            Judgement(workload=workload.uuid, evaluation=refused)
            for workload in problem.workloads_for(court.identity.kind)
        ),
    )
