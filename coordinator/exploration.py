"""How a team explored: what it repeated, how widely it looked, what the device's time gained.

    submissions, benchmarks, spendings -> Exploration, and one LaneAccount per lane

Pure. Start at `explored`. Not here: each agent's account (`ledger`), where a promotion came from
(`origins`).
"""

import math
from collections.abc import Iterable, Sequence

from coordinator.distance import measure
from coordinator.distance.idea import Idea
from coordinator.ledger import Account, gain, total
from guard.domain.decision import Policy, Verdict
from guard.domain.spent import Spent
from guard.domain.value import Value
from memory.course import Course, Spending
from memory.records import Benchmark, Campaign, Claim, Submission

MOST_COMPARED = 100
"""Newest benchmarked candidates whose ideas are told apart: each costs some ms to read."""


class Best(Value):
    """The champion, and what it took to get there."""

    submission_id: int
    wall_s: float
    """From the campaign's start to the decision, pauses left out."""
    device_s: float
    """Of all orders until then, the house's own included."""
    gain_per_device_s: float | None
    """Logarithm of its speedup over the baseline, by that time; none where no time is known."""


class Exploration(Value):
    """How widely a team looked, and what for."""

    redundancy: float | None
    """Share of the judged candidates that the record answered; none before the first."""
    strategies: int
    """On which at least one candidate was benchmarked."""
    lanes: int
    ideas: int
    """Of the candidates compared, those that are no earlier one's idea, as drafting tells them."""
    compared: int
    """Benchmarked candidates that were compared: the newest, at most 100."""
    fairness: float | None
    """Jain's index of the agents' device seconds: 1 all alike, 1 ÷ agents: one has all."""
    best: Best | None
    """None while the baseline is champion."""


class LaneAccount(Value):
    """What one lane cost and brought."""

    lane: str
    claims: int
    candidates: int
    benchmarked: int
    promoted: int
    best_speedup: float | None
    """Over the baseline, of what is believed and not revoked."""
    gain: float
    """As in an agent's account."""
    device_s: float


def explored(
    campaign: Campaign,
    submissions: Sequence[Submission],
    champion: Benchmark | None,
    spendings: Sequence[Spending],
    agents: Sequence[Account],
    course: Course,
) -> Exploration:
    """How widely the team of a campaign looked; `champion`: the champion's own benchmark."""
    judged = [s for s in submissions if s.verification is not None]
    timed = [s for s in submissions if s.decision is not None]
    compared = timed[-MOST_COMPARED:]
    return Exploration(
        redundancy=sum(bool(s.same_as) for s in judged) / len(judged) if judged else None,
        strategies=len({s.strategy for s in timed}),
        lanes=len({s.lane for s in timed}),
        ideas=ideas(compared, campaign.policy),
        compared=len(compared),
        fairness=fairness([account.spent.device_s for account in agents]),
        best=_best(campaign, champion, spendings, course) if champion is not None else None,
    )


def ideas(submissions: Iterable[Submission], policy: Policy) -> int:
    """How many of these are no earlier one's idea."""
    found: list[Sequence[Idea]] = []
    for solution in {s.solution.digest: s.solution for s in submissions}.values():
        mine = measure.ideas(solution)
        if all(measure.apart(mine, other).value >= policy.drafting_distance for other in found):
            found.append(mine)
    return len(found)


def fairness(shares: Sequence[float]) -> float | None:
    """Jain's index; none where nobody has anything."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else None


def lanes(
    claims: Sequence[Claim], submissions: Sequence[Submission], spendings: Sequence[Spending]
) -> tuple[LaneAccount, ...]:
    """Every lane that was claimed, the one with the most gain first."""
    of_claim = {claim.id: claim.lane for claim in claims}
    found = []
    for lane in dict.fromkeys(of_claim.values()):
        own = [s for s in submissions if s.lane == lane]
        spent = [line.spent for line in spendings if of_claim.get(line.claim_id) == lane]
        found.append(_lane(lane, list(of_claim.values()).count(lane), own, spent))
    return tuple(sorted(found, key=lambda one: (-one.gain, -(one.best_speedup or 0.0))))


def _lane(lane: str, claims: int, own: Sequence[Submission], spent: Sequence[Spent]) -> LaneAccount:
    verdicts = [s.decision.verdict for s in own if s.decision is not None]
    believed = [s for s in own if s.decision and s.decision.verdict.believed and not s.revoked]
    speedups = [s.speedup.estimate for s in believed if s.speedup is not None]
    return LaneAccount(
        lane=lane,
        claims=claims,
        candidates=len(own),
        benchmarked=len(verdicts),
        promoted=verdicts.count(Verdict.PROMOTED),
        best_speedup=max(speedups, default=None),
        gain=gain(own),
        device_s=total(spent).device_s,
    )


def _best(
    campaign: Campaign, champion: Benchmark, spendings: Sequence[Spending], course: Course
) -> Best:
    then_s = champion.decided_s
    device_s = total(line.spent for line in spendings if line.at_s <= then_s).device_s
    log_gain = math.log(champion.speedup.estimate)
    return Best(
        submission_id=champion.submission_id,
        wall_s=max(0.0, then_s - campaign.started_s - course.paused_s(then_s)),
        device_s=device_s,
        gain_per_device_s=log_gain / device_s if device_s else None,
    )
