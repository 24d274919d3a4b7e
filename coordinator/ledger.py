"""What each agent of a campaign did and cost: derived from the record, never booked twice.

    claims, their events, submissions, spendings -> one Account per agent, and the house's seconds

Pure. Start at `accounts`. Not here: what the team as a whole found (`exploration`).
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from guard.domain.decision import Verdict
from guard.domain.spent import Spent
from guard.domain.value import Value
from memory.course import Spending
from memory.records import Claim, ClaimEvent, Submission

_FAULTS = {
    "REWARD_HACK": "reward_hack",
    "RUNTIME_ERROR": "crashed",
    "TIMEOUT": "timed_out",
    "COMPILE_ERROR": "compile_error",
    "INVALID_REFERENCE": "not_judged",
}
"""What a failed verification is called; whatever else is wrong is ``incorrect``."""
OUTCOMES = (
    *(verdict.value for verdict in Verdict),
    *("correct", "incorrect", *_FAULTS.values(), "from_record", "open"),
)
"""What may become of a candidate; each has one outcome at a time."""


class Account(Value):
    """One agent's part of a campaign."""

    agent: str
    token: str
    claims: int
    candidates: int
    outcomes: dict[str, int]
    """Candidates by outcome, without zeros."""
    spent: Spent
    """By its jobs."""
    gain: float
    """Sum over its promotions of the logarithm of the speedup over the champion of then."""
    models: tuple[str, ...]
    """What it said it ran on, when it left its claims."""
    tokens: int
    """Language-model tokens it said it spent."""
    cost_usd: float
    """What it said that cost, in US dollars."""


def outcome(submission: Submission) -> str:
    """What became of a candidate, in one of `OUTCOMES`."""
    if submission.decision is not None:
        return submission.decision.verdict.value
    if submission.same_as:
        return "from_record"
    found = submission.verification
    if found is None:
        return "open"
    if found.passed:
        return "correct"
    statuses = [j.evaluation.status for j in found.judgements if j.evaluation.status != "PASSED"]
    if statuses:
        return _FAULTS.get(statuses[0], "incorrect")
    return "not_judged" if found.compiled.ok else "compile_error"


def accounts(
    claims: Sequence[Claim],
    events: Iterable[ClaimEvent],
    submissions: Sequence[Submission],
    spendings: Iterable[Spending],
) -> tuple[Account, ...]:
    """One account per agent (token and label), in the order of their first claims."""
    whose = {claim.id: (claim.token, claim.agent) for claim in claims}
    spent = _summed((whose[line.claim_id], line.spent) for line in spendings if line.claim_id)
    handed_in: dict[tuple[str, str], list[Submission]] = {}
    for submission in submissions:
        handed_in.setdefault(whose[submission.claim_id], []).append(submission)
    told: dict[tuple[str, str], list[ClaimEvent]] = {}
    for event in events:
        told.setdefault(whose[event.claim_id], []).append(event)
    return tuple(
        Account(
            agent=agent,
            token=token,
            claims=sum(owner == (token, agent) for owner in whose.values()),
            candidates=len(own := handed_in.get((token, agent), [])),
            outcomes=counted(own),
            spent=spent.get((token, agent), Spent()),
            gain=gain(own),
            models=tuple(dict.fromkeys(e.model for e in said if e.model)),
            tokens=sum(event.tokens for event in said),
            cost_usd=sum(event.cost_usd for event in said),
        )
        for token, agent in dict.fromkeys(whose.values())
        for said in (told.get((token, agent), []),)
    )


def counted(submissions: Iterable[Submission]) -> dict[str, int]:
    """Candidates by outcome, in the order of `OUTCOMES`, without zeros."""
    found = Counter(map(outcome, submissions))
    return {name: found[name] for name in OUTCOMES if found[name]}


def gain(submissions: Iterable[Submission]) -> float:
    """What these candidates brought: logarithms of speedups over the champions of then, summed."""
    decided = [s.decision for s in submissions if s.decision is not None and not s.revoked]
    promoted = [d for d in decided if d.verdict is Verdict.PROMOTED]
    return sum(math.log(d.over_champion.estimate) for d in promoted if d.over_champion)


def by_house(spendings: Iterable[Spending]) -> Spent:
    """What the house's own orders cost: the baseline, and duels by which it watches its gate."""
    return total(line.spent for line in spendings if not line.claim_id)


def total(spent: Iterable[Spent]) -> Spent:
    """All of it."""
    return sum(spent, Spent())


def _summed(
    lines: Iterable[tuple[tuple[str, str], Spent]],
) -> Mapping[tuple[str, str], Spent]:
    found: dict[tuple[str, str], Spent] = {}
    for key, spent in lines:
        found[key] = found.get(key, Spent()) + spent
    return found
