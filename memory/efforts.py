"""What was tried in a campaign and what it brought, counted: the record that assignments rest on.

Like all views: one function, one consistent snapshot, frozen values. Counting is the database's
work, so that an answer grows with the strategies, not with the candidates.

Start at `efforts`. Not here: what follows from it (`coordinator.diversify`).
"""

from collections.abc import Iterable
from typing import Any

from pydantic_core import from_json
from sqlalchemy import case, func
from sqlmodel import Session, col, select

from guard.domain.decision import Verdict
from guard.domain.value import Value
from memory.engine import Database
from memory.records import Claim, ClaimState
from memory.rows import claim_of, revoked_digests
from memory.tables import ClaimRow, DecisionRow, EvaluationRow, SubmissionRow

BELIEVED = tuple(verdict.value for verdict in Verdict if verdict.believed)


class StrategyRecord(Value):
    """One strategy's record in a campaign, all agents together."""

    strategy: str
    lane: str
    claims: int
    exhausted: int
    handed_in: int = 0
    benchmarked: int = 0
    best_id: int = 0
    """The fastest believed submission that was not revoked; 0: none."""
    speedup: float = 0.0
    """Its speedup over the baseline."""
    low: float = 0.0


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
        handed_in, benchmarked = _counts(session, ClaimRow.campaign_id == campaign_id)
        best = {row[0]: row[1:] for row in session.exec(_best(session, campaign_id))}
        return tuple(
            StrategyRecord(
                strategy=strategy,
                lane=lane,
                claims=claims,
                exhausted=exhausted,
                handed_in=handed_in.get(strategy, 0),
                benchmarked=benchmarked.get(strategy, 0),
                **dict(zip(("best_id", "speedup", "low"), best.get(strategy, ()), strict=False)),
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


def own_counts(database: Database, claim: Claim) -> tuple[int, int]:
    """What a claim's agent handed in and had benchmarked on its strategy, under all its claims."""
    conditions = (
        ClaimRow.campaign_id == claim.campaign_id,
        ClaimRow.strategy == claim.strategy,
        ClaimRow.token == claim.token,
        ClaimRow.agent == claim.agent,
    )
    with database.read() as session:
        handed_in, benchmarked = _counts(session, *conditions)
    return handed_in.get(claim.strategy, 0), benchmarked.get(claim.strategy, 0)


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


def _counts(session: Session, *conditions: Any) -> tuple[dict[str, int], dict[str, int]]:
    """Per strategy, how many were handed in, and how many of them were benchmarked."""
    rows: Iterable[tuple[str, int, int]] = session.exec(
        select(ClaimRow.strategy, func.count(), func.count(col(DecisionRow.submission_id)))
        .join(SubmissionRow, col(SubmissionRow.claim_id) == ClaimRow.id)
        .outerjoin(DecisionRow, col(DecisionRow.submission_id) == SubmissionRow.id)
        .where(*conditions)
        .group_by(col(ClaimRow.strategy))
    )
    handed_in, benchmarked = {}, {}
    for strategy, submitted, decided in rows:
        handed_in[strategy], benchmarked[strategy] = submitted, decided
    return handed_in, benchmarked


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
