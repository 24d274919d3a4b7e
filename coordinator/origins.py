"""Where each promotion came from: a sibling's conclusion, a forced change, or its agent's own road.

    promoted submission × conclusions, readings, claims, benchmarks -> Origin

Only what the record holds is told. That a candidate builds on what a sibling's conclusion cites is
a fact; so is that its agent had been shown a conclusion before. Whether that gave it the idea,
nobody can know. Pure. Start at `origins`. Not here: what a promotion gained (`ledger`).
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from coordinator import plateau
from coordinator.headroom import headroom_of
from coordinator.plateau import Stage
from guard.domain.decision import Verdict
from guard.domain.value import Value
from memory.conclusion import Conclusion
from memory.course import Reading
from memory.records import (
    Benchmark,
    Campaign,
    Claim,
    ClaimState,
    Submission,
)

Forced = Literal["", "drafting", "another lane"]


class Origin(Value):
    """What stood before one promotion."""

    submission_id: int
    agent: str
    strategy: str
    builds_on_siblings: tuple[int, ...]
    """Siblings' submissions that it grew from, in however many steps."""
    cited_conclusions: tuple[int, ...]
    """Numbers of siblings' conclusions, posted before, that cite what it grew from."""
    read_conclusions: tuple[int, ...]
    """Numbers of siblings' conclusions that its agent was shown before it was handed in."""
    forced: Forced
    """The change its claim was forced to when it was handed in; empty: none."""

    @property
    def shared(self) -> bool:
        """Whether a sibling's conclusion stood before it."""
        return bool(self.cited_conclusions or self.read_conclusions)


class Past(NamedTuple):
    """The record of one campaign, as far as origins rest on it."""

    campaign: Campaign
    claims: Sequence[Claim]
    submissions: Sequence[Submission]
    benchmarks: Sequence[Benchmark]
    """In the order decided."""
    conclusions: Sequence[Conclusion]
    readings: Sequence[Reading]


def origins(past: Past) -> tuple[Origin, ...]:
    """One origin per promotion, oldest first."""
    by_id = {submission.id: submission for submission in past.submissions}
    claims = {claim.id: claim for claim in past.claims}
    promoted = [b for b in past.benchmarks if b.decision.verdict is Verdict.PROMOTED]
    return tuple(_origin(past, by_id, claims, by_id[b.submission_id]) for b in promoted)


def _origin(
    past: Past, by_id: Mapping[int, Submission], claims: Mapping[str, Claim], found: Submission
) -> Origin:
    claim = claims[found.claim_id]
    grew_from = _ancestors(by_id, found)
    siblings = {c.id for c in past.claims if (c.token, c.agent) != (claim.token, claim.agent)}
    before = [
        c for c in past.conclusions if c.claim_id in siblings and c.posted_s <= found.submitted_s
    ]
    read = _read_by(past, claims, claim, found.submitted_s)
    return Origin(
        submission_id=found.id,
        agent=found.agent,
        strategy=found.strategy,
        builds_on_siblings=tuple(i for i in grew_from if by_id[i].claim_id in siblings),
        cited_conclusions=tuple(c.seq for c in before if {*c.submission_ids} & {*grew_from}),
        read_conclusions=tuple(c.seq for c in before if c.seq in read),
        forced=_forced(past, claim, found),
    )


def _ancestors(by_id: Mapping[int, Submission], found: Submission) -> tuple[int, ...]:
    known: dict[int, None] = {}
    ahead = list(found.builds_on)
    while ahead:
        at = ahead.pop(0)
        if at not in known and at in by_id:
            known[at] = None
            ahead += by_id[at].builds_on
    return tuple(sorted(known))


def _read_by(past: Past, claims: Mapping[str, Claim], claim: Claim, by_s: float) -> frozenset[int]:
    """What the claim's agent had been shown by then, under whatever claim of its own."""
    own = {c.id for c in claims.values() if (c.token, c.agent) == (claim.token, claim.agent)}
    return frozenset(
        r.conclusion_seq for r in past.readings if r.claim_id in own and r.at_s <= by_s
    )


def _forced(past: Past, claim: Claim, found: Submission) -> Forced:
    """What the ladder asked for when it was handed in."""
    of_claim = {s.id for s in past.submissions if s.claim_id == claim.id}
    before = [b for b in past.benchmarks if b.decided_s < found.submitted_s]
    own = [b for b in before if b.submission_id in of_claim]
    if plateau.standing(own, past.campaign.policy, _reached(past, before)).stage is Stage.DRAFTING:
        return "drafting"
    mine = [c for c in past.claims if (c.token, c.agent) == (claim.token, claim.agent)]
    earlier = mine[: mine.index(claim)]
    came_from = earlier[-1] if earlier else None
    changed = came_from is not None and came_from.state is ClaimState.EXHAUSTED
    return "another lane" if changed else ""


def _reached(past: Past, before: Sequence[Benchmark]) -> float | None:
    """How much of the bound the champion of then reached."""
    promoted = [b for b in before if b.decision.verdict is Verdict.PROMOTED]
    return headroom_of(past.campaign.baseline, promoted[-1] if promoted else None).reached
