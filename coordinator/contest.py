"""The duels of one candidate: against the champion, and after a promotion against the baseline.

    Candidate x champion ─ one process pair per order ─> Duel ─ promoted? ─> fresh pairs, the figure

Pairs are ordered one at a time, because each may be the last: `guard.gate.needs_more` stops a
hopeless candidate after the first one. Nothing is stored here.

Start at `compete`. Not here: recording (`recording`), how a pair is timed (`guard.referee`).
"""

from collections.abc import Callable, Mapping

from coordinator.orders import Meter, Orders
from guard import gate
from guard.benchmark import derived, evaluations, noise_values
from guard.domain.decision import Decision, Interval, Policy, Terms, Verdict
from guard.domain.problem import Problem
from guard.domain.solution import Solution
from guard.domain.trace import Baseline, Duel, Evaluation, Timed, Verification
from guard.domain.value import Value
from guard.promotion import is_quiet_enough
from guard.wire import DuelOrder, DuelReport
from memory.records import Benchmark, Campaign, Submission


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


class Bout(Value):
    """Who fights whom, under which job and Policy."""

    job: str
    problem: Problem
    policy: Policy
    candidate: Solution
    champion: Solution
    screens: bool = False
    """Whether the first pair may end early: see `guard.promotion.is_screened_out`."""
    warms: bool = False
    """Whether the first pair takes the warm latency as well."""
    handicap: float = 0.0
    """A loss planted on the candidate's side (a fraction); none in earnest."""


class Fought(Value):
    """What one candidate's duel left."""

    terms: Terms
    duel: Duel
    confirmed: Duel | None = None
    """Fresh pairs against the baseline; only after a promotion was decided."""

    def over_baseline(self, baseline: Solution) -> Duel:
        """The pairs that were timed against the baseline, if any."""
        if self.confirmed is not None:
            return self.confirmed
        if self.duel.champion == baseline.digest:
            return self.duel
        return self.duel.model_copy(update={"champion": baseline.digest, "pairs": ()})


async def fight(
    orders: Orders, bout: Bout, meter: Meter, goes_on: Callable[[Duel], bool], *, most: int
) -> Duel:
    """Time one process pair after another, `most` at most, until enough was seen."""
    fought = Duel(champion=bout.champion.digest, candidate=bout.candidate.digest, pairs=())
    for number in range(most):
        order = DuelOrder(
            job=bout.job,
            problem=bout.problem,
            candidate=bout.candidate,
            champion=bout.champion,
            policy=bout.policy,
            pairs=1,
            first_pair=number,
            screens=bout.screens,
            warms=bout.warms,
            handicap=bout.handicap,
        )
        report = await orders.place(order, DuelReport, meter.next_stage())
        fought = merge(fought, report.duel)
        if fought.failures or not goes_on(fought):
            break
    return fought


async def fight_itself(orders: Orders, bout: Bout, meter: Meter) -> Duel:
    """Time A/A pairs until they tell how noisy a pair is; none where the Policy wants none."""
    policy = bout.policy
    return await fight(
        orders,
        bout,
        meter,
        lambda duel: not is_quiet_enough(noise_values(duel, policy), policy),
        most=policy.most_aa_pairs if policy.aa_pairs else 0,
    )


async def compete(
    orders: Orders,
    bout: Bout,
    verification: Verification,
    baseline: Baseline,
    terms: Terms,
    meter: Meter,
) -> Fought:
    """Fight the champion; who is promoted then is timed against the baseline for its figure.

    What decided is no figure to report: of many candidates the luckiest is promoted. One that
    fails in any timed call has failed, whoever stood beside it.
    """
    policy = bout.policy
    duel = await fight(
        orders, bout, meter, lambda d: gate.needs_more(d, policy, terms), most=policy.max_pairs
    )
    decided = gate.decide(verification, duel, policy, terms, baseline.loose, baseline.bounds)
    if decided.verdict is not Verdict.PROMOTED:
        return Fought(terms=terms, duel=duel)
    against = {"champion": baseline.solution, "screens": False, "warms": True}
    again = bout.model_copy(update=against)
    confirmed = await fight(orders, again, meter, lambda _: True, most=policy.confirm_pairs)
    duel = duel.model_copy(update={"failures": confirmed.failures})
    return Fought(terms=terms, duel=duel, confirmed=confirmed)


def reported(
    decision: Decision, measured: Duel, champion: Interval | None, policy: Policy, terms: Terms
) -> tuple[Interval, bool]:
    """The speedup over the baseline, and whether it is derived from the champion's.

    `measured`: the pairs against the baseline. Who was not promoted has none beside a champion.
    """
    if not measured.pairs and champion is not None and decision.over_champion is not None:
        return derived(champion, decision.over_champion), True
    return gate.speedup(measured, policy, terms), False


def judged(
    verification: Verification, measured: Duel, duel: Duel, held: Benchmark | None, policy: Policy
) -> dict[str, Evaluation]:
    """An evaluation per workload; `held`: the champion's own benchmark, if it has one.

    `measured`: the pairs against the baseline. Without any, figures are derived from the duel.
    """
    if measured.pairs or held is None:
        return evaluations(verification, measured, policy)
    through = {j.workload: held.speedup.estimate for j in verification.listed}
    return evaluations(verification, duel, policy, through | _factors(held.evaluations))


def _factors(found: Mapping[str, Evaluation]) -> dict[str, float]:
    return {w: e.performance.speedup_factor for w, e in found.items() if isinstance(e, Timed)}


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
