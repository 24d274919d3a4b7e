"""What was tried in a campaign and what it brought, counted: the record that assignments rest on.

Like all views: one function, one consistent snapshot, frozen values. Counting is the database's
work, so that an answer grows with the strategies, not with the candidates.

Start at `efforts`. Not here: what follows from it (`coordinator.diversify`).
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic_core import from_json
from sqlalchemy import case, func
from sqlmodel import Session, col, select

from guard.domain.adherence import Adherence
from guard.domain.decision import Decision, Verdict
from guard.domain.value import Value
from memory.engine import Database
from memory.records import Claim, ClaimState
from memory.rows import adherences_of, claim_of, revoked_digests
from memory.tables import ClaimRow, DecisionRow, EvaluationRow, SubmissionRow, VerificationRow

BELIEVED = tuple(verdict.value for verdict in Verdict if verdict.believed)


class Counts(Value):
    """Candidates of some claims."""

    handed_in: int = 0
    benchmarked: int = 0
    measured: int = 0
    """Benchmarked, or answered from the benchmark of an earlier one that is the same."""


class StrategyRecord(Value):
    """One strategy's record in a campaign, all agents together."""

    strategy: str
    lane: str
    claims: int
    exhausted: int
    counts: Counts
    best_id: int = 0
    """The fastest believed submission that was not revoked; 0: none."""
    speedup: float = 0.0
    """Its speedup over the baseline."""
    low: float = 0.0
    gain: float = 0.0
    """What its promotions gained over the champions of then, together (log units)."""
    follows: tuple[str, ...] = ()
    """Other strategies whose evidence it shows."""


class Lap(Value):
    """How fast one believed submission is on each workload, over the baseline."""

    submission_id: int
    strategy: str
    speedups: dict[str, float]


def efforts(database: Database, campaign_id: int) -> tuple[StrategyRecord, ...]:
    """The record of every strategy that was ever claimed, in the order of their first claims."""
    ended = func.sum(case((col(ClaimRow.state) == ClaimState.EXHAUSTED.value, 1), else_=0))
    claimed = (
        select(ClaimRow.strategy, func.min(ClaimRow.lane), func.count(), ended)
        .where(ClaimRow.campaign_id == campaign_id)
        .group_by(col(ClaimRow.strategy))
        .order_by(func.min(ClaimRow.seq))
    )
    with database.read() as session:
        counts = _counts(session, ClaimRow.campaign_id == campaign_id)
        best = {row[0]: row[1:] for row in session.exec(_best(session, campaign_id))}
        gains = _gains(session, campaign_id)
        judged = adherences_of(session, [row[0] for row in best.values()])
        return tuple(
            StrategyRecord(
                strategy=strategy,
                lane=lane,
                claims=claims,
                exhausted=exhausted,
                counts=counts.get(strategy, Counts()),
                **dict(zip(("best_id", "speedup", "low"), best.get(strategy, ()), strict=False)),
                gain=math.fsum(gains.get(strategy, ())),
                follows=_follows(judged, best.get(strategy)),
            )
            for strategy, lane, claims, exhausted in session.exec(claimed)
        )


def claims_of(database: Database, campaign_id: int, token: str, agent: str) -> tuple[Claim, ...]:
    """One agent's claims, oldest first."""
    wanted = (
        select(ClaimRow)
        .where(
            ClaimRow.campaign_id == campaign_id, ClaimRow.token == token, ClaimRow.agent == agent
        )
        .order_by(col(ClaimRow.seq))
    )
    with database.read() as session:
        return tuple(map(claim_of, session.exec(wanted)))


def live(database: Database, campaign_id: int) -> tuple[Claim, ...]:
    """The live claims, those whose lease ran out included, oldest first."""
    wanted = (
        select(ClaimRow)
        .where(ClaimRow.campaign_id == campaign_id, ClaimRow.state == ClaimState.LIVE.value)
        .order_by(col(ClaimRow.seq))
    )
    with database.read() as session:
        return tuple(map(claim_of, session.exec(wanted)))


def own_counts(database: Database, claim: Claim) -> Counts:
    """What a claim's agent handed in on its strategy, under all its claims."""
    conditions = (
        ClaimRow.campaign_id == claim.campaign_id,
        ClaimRow.strategy == claim.strategy,
        ClaimRow.token == claim.token,
        ClaimRow.agent == claim.agent,
    )
    with database.read() as session:
        return _counts(session, *conditions).get(claim.strategy, Counts())


def laps(database: Database, campaign_id: int, champion_id: int, limit: int) -> tuple[Lap, ...]:
    """The fastest believed submissions with their speedup per workload, the champion among them."""
    with database.read() as session:
        ranked = session.exec(_ranked(session, campaign_id).limit(limit)).all()
        strategies = dict(ranked)
        if champion_id and champion_id not in strategies:
            strategies |= dict(session.exec(_ranked(session, campaign_id, champion_id)).all())
        found: dict[int, dict[str, float]] = {id_: {} for id_ in strategies}
        rows = session.exec(
            select(EvaluationRow.submission_id, EvaluationRow.workload, EvaluationRow.body).where(
                col(EvaluationRow.submission_id).in_(strategies),
                EvaluationRow.stage == "benchmark",
            )
        )
        for submission_id, workload, body in rows:
            performance = from_json(body).get("performance")
            if performance:
                found[submission_id][workload] = performance["speedup_factor"]
    return tuple(
        Lap(submission_id=id_, strategy=strategies[id_], speedups=speedups)
        for id_, speedups in found.items()
    )


def _counts(session: Session, *conditions: Any) -> dict[str, Counts]:
    """Per strategy."""
    same_as, submission = col(VerificationRow.same_as), col(SubmissionRow.id)
    decided = col(DecisionRow.submission_id)
    rows: Iterable[tuple[str, int, int, int]] = session.exec(
        select(
            ClaimRow.strategy,
            func.count(),
            func.count(case((decided == submission, decided))),
            func.count(decided),
        )
        .join(SubmissionRow, col(SubmissionRow.claim_id) == ClaimRow.id)
        .outerjoin(VerificationRow, col(VerificationRow.submission_id) == submission)
        .outerjoin(DecisionRow, decided == func.coalesce(same_as, submission))
        .where(*conditions)
        .group_by(col(ClaimRow.strategy))
    )
    return {
        strategy: Counts(handed_in=handed_in, benchmarked=benchmarked, measured=measured)
        for strategy, handed_in, benchmarked, measured in rows
    }


def _gains(session: Session, campaign_id: int) -> dict[str, list[float]]:
    """Per strategy, what each promotion gained that was not revoked."""
    wanted: Any = select(ClaimRow.strategy, DecisionRow.decision)
    wanted = _believed(session, campaign_id, wanted).where(
        DecisionRow.verdict == Verdict.PROMOTED.value
    )
    found: dict[str, list[float]] = {}
    for strategy, text in session.exec(wanted):
        over = Decision.model_validate_json(text).over_champion
        if over is not None:
            found.setdefault(strategy, []).append(math.log(over.estimate))
    return found


def _follows(judged: Mapping[int, Adherence], best: Any) -> tuple[str, ...]:
    found = judged.get(best[0]) if best is not None else None
    return found.follows if found is not None else ()


def _best(session: Session, campaign_id: int) -> Any:
    """The fastest believed submission of each strategy, with its speedup and the lower end."""
    place = func.row_number().over(
        partition_by=col(ClaimRow.strategy),
        order_by=(col(DecisionRow.speedup).desc(), col(DecisionRow.seq)),
    )
    placed: Any = select(DecisionRow.submission_id, place.label("place"))
    placed = _believed(session, campaign_id, placed).subquery()
    wanted: Any = select(
        ClaimRow.strategy, DecisionRow.submission_id, DecisionRow.speedup, DecisionRow.speedup_low
    )
    return _joined(wanted).where(
        placed.c.submission_id == DecisionRow.submission_id, placed.c.place == 1
    )


def _ranked(session: Session, campaign_id: int, only: int = 0) -> Any:
    """Believed submissions with their strategies, the fastest first; `only`: this one."""
    wanted = _believed(session, campaign_id, select(SubmissionRow.id, ClaimRow.strategy))
    wanted = wanted.where(col(SubmissionRow.id) == only) if only else wanted
    return wanted.order_by(col(DecisionRow.speedup).desc(), col(DecisionRow.seq))


def _believed(session: Session, campaign_id: int, wanted: Any) -> Any:
    return _joined(wanted).where(
        col(SubmissionRow.campaign_id) == campaign_id,
        col(DecisionRow.verdict).in_(BELIEVED),
        col(SubmissionRow.solution_digest).not_in(revoked_digests(session, campaign_id)),
    )


def _joined(wanted: Any) -> Any:
    return (
        wanted.select_from(DecisionRow)
        .join(SubmissionRow, col(SubmissionRow.id) == DecisionRow.submission_id)
        .join(ClaimRow, col(ClaimRow.id) == SubmissionRow.claim_id)
    )
