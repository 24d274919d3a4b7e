"""Who holds the first place: the last one promoted, or the best that is left when it was revoked.

    promotions, acceptances and revocations in the order they were recorded -> holder

Pure: a fold over facts, so the same board gives the same champion, also after a restart. What is
decided after a revocation cannot change what the revocation led to, except by a promotion.

Start at `holder`. Not here: which facts there are (`views`).
"""

from collections.abc import Mapping, Sequence

from guard.domain.decision import Policy, Verdict
from guard.domain.value import Value
from memory.records import Submission

BASELINE = 0


class Standing(Value):
    """A submission that was promoted, or accepted as a backup."""

    seq: int
    """When it was decided."""
    submission_id: int
    digest: str
    promoted: bool
    speedup: float
    """Over the baseline."""
    eligible: bool
    """Whether it may take the place of a revoked champion."""


def holder(standings: Sequence[Standing], revoked: Mapping[str, int]) -> int:
    """The submission in the first place, or `BASELINE`; `revoked`: digest -> when, the first time.

    When the holder is revoked, the place goes to the fastest one over the baseline, of those that
    were promoted or accepted until then and are not revoked.
    """
    holding: Standing | None = None
    seen: list[Standing] = []
    events = [(s.seq, s) for s in standings] + [(seq, None) for seq in revoked.values()]
    for seq, standing in sorted(events, key=lambda event: event[0]):
        if standing is not None:
            seen.append(standing)
            holding = standing if standing.promoted else holding
        elif holding is not None and revoked.get(holding.digest, seq + 1) <= seq:
            left = [s for s in seen if s.eligible and revoked.get(s.digest, seq + 1) > seq]
            # Of two as fast the earlier one, as on the leaderboard.
            holding = max(left, key=lambda s: (s.speedup, -s.seq), default=None)
    return holding.submission_id if holding is not None else BASELINE


def may_succeed(submission: Submission, policy: Policy, *, admitted: bool) -> bool:
    """Whether a submission that was not promoted could have been, but for its speed.

    It must be faster than the baseline with its whole interval, verified at the sandbox grade of a
    promotion, on a problem that refuses every wrong answer.
    """
    decision, verification, speedup = (
        submission.decision, submission.verification, submission.speedup,
    )  # fmt: skip
    if decision is None or verification is None or speedup is None:
        return False
    if decision.verdict is Verdict.PROMOTED:
        return True
    grades = [j.evaluation.environment.sandbox_grade for j in verification.judgements]
    return admitted and speedup.low > 1 and min(grades, default=0) >= policy.min_grade


def untainted(submissions: Sequence[Submission]) -> frozenset[int]:
    """Those that neither were revoked nor build on one that was, however far back.

    What grew from a cheat most likely holds it too.
    """
    parents = {s.id: s.builds_on for s in submissions}
    tainted = {s.id for s in submissions if s.revoked}
    # A parent has a smaller id than what builds on it, so one pass sees every line to its end.
    for id_ in sorted(parents):
        if tainted.intersection(parents[id_]):
            tainted.add(id_)
    return frozenset(parents) - tainted
