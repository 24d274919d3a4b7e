"""The duels of one candidate: against the champion, and for a figure against the baseline.

    Candidate x champion ─ one process pair per order ─> Duel

Pairs are ordered one at a time, because each may be the last: `guard.gate.needs_more` stops a
hopeless candidate after the first one. Nothing is decided or stored here.

Start at `duel`. Not here: the decision (`pipeline`), how a pair is timed (`guard.referee`).
"""

from coordinator.orders import Meter, Orders
from guard import gate
from guard.domain.decision import Decision, Verdict
from guard.domain.solution import Solution
from guard.domain.trace import Duel, Verification
from guard.domain.value import Value
from guard.wire import DuelOrder, DuelReport
from memory.records import Campaign, Submission

BASELINE_PAIRS = 1
"""Process pairs against the baseline when another champion stands between: a figure, no gate."""


class Candidate(Value):
    """A verified submission on its way to a decision."""

    job_id: str
    submission: Submission
    campaign: Campaign
    verification: Verification

    @property
    def solution(self) -> Solution:
        """What it does."""
        return self.submission.solution


async def duel(
    orders: Orders, candidate: Candidate, champion: Solution, meter: Meter, *, pairs: int = 0
) -> Duel:
    """Time one process pair after another until the gate has seen enough.

    `pairs` limits them; 0 stands for the most that the policy allows.
    """
    campaign = candidate.campaign
    fought = Duel(champion=champion.digest, candidate=candidate.solution.digest, pairs=())
    for number in range(pairs or campaign.policy.max_pairs):
        order = DuelOrder(
            job=candidate.job_id,
            problem=campaign.problem,
            candidate=candidate.solution,
            champion=champion,
            policy=campaign.policy,
            pairs=1,
            first_pair=number,
        )
        report = await orders.place(order, DuelReport, meter.next_stage())
        fought = merge(fought, report.duel)
        if not gate.needs_more(fought, campaign.policy):
            break
    return fought


async def over_baseline(orders: Orders, candidate: Candidate, fought: Duel, meter: Meter) -> Duel:
    """The figure against the baseline, of a candidate that fought another champion.

    One that failed in that duel is not timed again: its failures stand for both.
    """
    baseline = candidate.campaign.baseline.solution
    if fought.failures:
        return fought.model_copy(update={"champion": baseline.digest, "pairs": ()})
    return await duel(orders, candidate, baseline, meter, pairs=BASELINE_PAIRS)


def unless_revoked(decision: Decision, now: Submission | None) -> Decision:
    """The decision, unless the same solution was revoked: then it is not believed again."""
    if now is None or not now.revoked or not decision.verdict.believed:
        return decision
    reason = f"The same solution was revoked: {now.revoked}"
    return decision.model_copy(update={"verdict": Verdict.SUSPECT, "reason": reason})


def merge(first: Duel, second: Duel) -> Duel:
    """Two parts of one duel as one."""
    return first.model_copy(
        update={
            "pairs": first.pairs + second.pairs,
            "failures": first.failures + second.failures,
        }
    )
