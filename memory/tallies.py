"""What the candidates of each strategy brought, counted once: facts are only ever added.

    facts after those that were counted + what they were -> Tally

A tally is kept by who asks, and each time only what is newer is read, so that the cost does not
grow with the candidates. A revocation, which is rare, has all of it counted again.

Start at `tallied`. Not here: what a strategy's record is besides (`efforts`).
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqlalchemy import func, text
from sqlmodel import Session, col, select

from guard.domain.decision import Decision, Verdict
from guard.domain.value import Value
from memory.rows import adherences_of, revoked_digests
from memory.tables import (
    BELIEVED,
    ClaimRow,
    DecisionRow,
    FactRow,
    RevocationRow,
    SubmissionRow,
    VerificationRow,
)


class Counts(Value):
    """Candidates of some claims."""

    handed_in: int = 0
    benchmarked: int = 0
    measured: int = 0
    """Benchmarked, or answered from the benchmark of an earlier one that is the same."""

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            handed_in=self.handed_in + other.handed_in,
            benchmarked=self.benchmarked + other.benchmarked,
            measured=self.measured + other.measured,
        )


class Best(Value):
    """A believed submission of a strategy that was not revoked, the best in some sense."""

    submission_id: int
    speedup: float
    """Over the baseline."""
    low: float
    over_parents: float
    """Speedup over the fastest of what it builds on."""
    follows: tuple[str, ...] = ()
    """Other strategies whose evidence it shows."""


class Tried(Value):
    """What the candidates of one strategy brought."""

    counts: Counts = Counts()
    best: Best | None = None
    """The fastest."""
    win: Best | None = None
    """The one that gained the most over what it builds on."""
    gains: tuple[float, ...] = ()
    """Of each promotion over the champion of then (log units)."""

    @property
    def gain(self) -> float:
        """Of all of them together."""
        return math.fsum(self.gains)


class Tally(Value):
    """The candidates of a campaign, counted through the newest fact."""

    seq: int = 0
    submission_id: int = 0
    revocations: int = 0
    strategies: dict[str, Tried] = {}


def tallied(session: Session, campaign_id: int, known: Tally | None) -> Tally:
    """Count what came after `known`."""
    revocations = session.exec(
        select(func.count()).where(RevocationRow.campaign_id == campaign_id)
    ).one()
    fresh = known is None or known.revocations != revocations
    before = Tally(revocations=revocations) if known is None or fresh else known
    newest = session.exec(select(func.max(FactRow.seq))).one() or 0
    handed_in, last = _handed_in(session, campaign_id, before.submission_id)
    counts = (
        {s: Counts(handed_in=number) for s, number in handed_in.items()},
        {s: Counts(benchmarked=n, measured=n) for s, n in _decided(session, campaign_id, before)},
        {s: Counts(measured=number) for s, number in _copies(session, campaign_id, before)},
    )
    bests = _bests(session, campaign_id, before, col(DecisionRow.speedup))
    wins = _bests(session, campaign_id, before, col(DecisionRow.over_parents))
    gains = _gains(session, campaign_id, before)
    strategies = dict(before.strategies)
    # Whatever is believed was counted.
    for strategy in {strategy for part in counts for strategy in part}:
        was = strategies.get(strategy, Tried())
        parts = (part.get(strategy, Counts()) for part in counts)
        strategies[strategy] = Tried(
            counts=sum(parts, was.counts),
            best=better(was.best, bests.get(strategy), lambda one: one.speedup),
            win=better(was.win, wins.get(strategy), lambda one: one.over_parents),
            gains=(*was.gains, *gains.get(strategy, ())),
        )
    return Tally(
        seq=newest,
        submission_id=last or before.submission_id,
        revocations=revocations,
        strategies=strategies,
    )


def believed(session: Session, campaign_id: int, wanted: Any) -> Any:
    """Only decisions that are believed, of solutions that were not revoked."""
    return joined(wanted).where(
        DecisionRow.campaign_id == campaign_id,
        text(BELIEVED),
        col(SubmissionRow.solution_digest).not_in(revoked_digests(session, campaign_id)),
    )


def joined(wanted: Any) -> Any:
    """Decisions with their submissions and claims."""
    return (
        wanted.select_from(DecisionRow)
        .join(SubmissionRow, col(SubmissionRow.id) == DecisionRow.submission_id)
        .join(ClaimRow, col(ClaimRow.id) == SubmissionRow.claim_id)
    )


def _handed_in(session: Session, campaign_id: int, after: int) -> tuple[dict[str, int], int]:
    rows = session.exec(
        select(ClaimRow.strategy, func.count(), func.max(SubmissionRow.id))
        .join(SubmissionRow, col(SubmissionRow.claim_id) == ClaimRow.id)
        .where(SubmissionRow.campaign_id == campaign_id, col(SubmissionRow.id) > after)
        .group_by(col(ClaimRow.strategy))
    ).all()
    newest = max((row[2] or 0 for row in rows), default=0)
    return {row[0]: row[1] for row in rows}, newest


def _decided(session: Session, campaign_id: int, before: Tally) -> Iterable[tuple[str, int]]:
    wanted = joined(select(ClaimRow.strategy, func.count()))
    wanted = wanted.where(
        DecisionRow.campaign_id == campaign_id, col(DecisionRow.seq) > before.seq
    ).group_by(col(ClaimRow.strategy))
    return [(row[0], row[1]) for row in session.exec(wanted)]


def _copies(session: Session, campaign_id: int, before: Tally) -> Iterable[tuple[str, int]]:
    """Answered from a benchmark: counted when the later one of the two came."""
    copied, same_as = col(VerificationRow.seq), col(VerificationRow.same_as)
    decided = select(DecisionRow.submission_id)
    newer = decided.where(DecisionRow.campaign_id == campaign_id, col(DecisionRow.seq) > before.seq)
    of_copies = (
        select(ClaimRow.strategy, func.count())
        .select_from(VerificationRow)
        .join(SubmissionRow, col(SubmissionRow.id) == VerificationRow.submission_id)
        .join(ClaimRow, col(ClaimRow.id) == SubmissionRow.claim_id)
        # A sum is in no index: what is new is to be looked for, not what is the campaign's.
        .where(col(ClaimRow.campaign_id) + 0 == campaign_id, same_as.is_not(None))
        .group_by(col(ClaimRow.strategy))
    )
    known = decided.where(col(DecisionRow.submission_id) == same_as)
    rows = [
        *session.exec(of_copies.where(copied > before.seq, known.exists())),
        *session.exec(of_copies.where(same_as.in_(newer), copied + 0 <= before.seq)),
    ]
    found: dict[str, int] = {}
    for strategy, number in rows:
        found[strategy] = found.get(strategy, 0) + number
    return found.items()


def _bests(session: Session, campaign_id: int, before: Tally, by: Any) -> dict[str, Best]:
    """Of each strategy the first one in this order."""
    place = func.row_number().over(
        partition_by=col(ClaimRow.strategy),
        order_by=(by.desc(), col(DecisionRow.seq)),
    )
    placed: Any = select(DecisionRow.submission_id, place.label("place"))
    placed = believed(session, campaign_id, placed).where(col(DecisionRow.seq) > before.seq)
    placed = placed.subquery()
    wanted: Any = select(ClaimRow.strategy, DecisionRow)
    wanted = joined(wanted).where(
        placed.c.submission_id == DecisionRow.submission_id, placed.c.place == 1
    )
    rows: list[tuple[str, DecisionRow]] = session.exec(wanted).all()
    judged = adherences_of(session, [row.submission_id for _, row in rows])
    return {
        strategy: Best(
            submission_id=row.submission_id,
            speedup=row.speedup,
            low=row.speedup_low,
            over_parents=row.over_parents,
            follows=judged[row.submission_id].follows if row.submission_id in judged else (),
        )
        for strategy, row in rows
    }


def _gains(session: Session, campaign_id: int, before: Tally) -> Mapping[str, list[float]]:
    wanted = believed(session, campaign_id, select(ClaimRow.strategy, DecisionRow.decision))
    wanted = wanted.where(
        DecisionRow.verdict == Verdict.PROMOTED.value, col(DecisionRow.seq) > before.seq
    ).order_by(col(DecisionRow.seq))
    found: dict[str, list[float]] = {}
    for strategy, told in session.exec(wanted):
        over = Decision.model_validate_json(told).over_champion
        if over is not None:
            found.setdefault(strategy, []).append(math.log(over.estimate))
    return found


def better(was: Best | None, now: Best | None, by: Callable[[Best], float]) -> Best | None:
    """The better of two; of equal ones the earlier stays."""
    if was is None or now is None:
        return was or now
    return now if by(now) > by(was) else was
