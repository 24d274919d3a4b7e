"""What was tried in a campaign and what it brought, counted: the record that assignments rest on.

Like all views: one function, one consistent snapshot, frozen values. Start at `efforts`. Not here:
how candidates are counted (`tallies`), what follows from it (`coordinator.diversify`).
"""

from typing import Any

from pydantic_core import from_json
from sqlalchemy import case, func
from sqlmodel import Session, col, select

from guard.domain.value import Value
from memory.engine import Database
from memory.records import Claim, ClaimState
from memory.rows import claim_of
from memory.tables import ClaimRow, DecisionRow, EvaluationRow, SubmissionRow, VerificationRow
from memory.tallies import Counts, Tally, Tried, believed, tallied


class StrategyRecord(Value):
    """One strategy's record in a campaign, all agents together."""

    strategy: str
    lane: str
    claims: int
    exhausted: int
    tried: Tried = Tried()


class Lap(Value):
    """How fast one believed submission is on each workload, over the baseline."""

    submission_id: int
    strategy: str
    speedups: dict[str, float]


def efforts(
    database: Database, campaign_id: int, known: Tally | None = None
) -> tuple[tuple[StrategyRecord, ...], Tally]:
    """The record of every strategy that was ever claimed, in the order of their first claims.

    With it what was counted, from which the next call goes on.
    """
    ended = func.sum(case((col(ClaimRow.state) == ClaimState.EXHAUSTED.value, 1), else_=0))
    claimed = (
        select(ClaimRow.strategy, func.min(ClaimRow.lane), func.count(), ended)
        .where(ClaimRow.campaign_id == campaign_id)
        .group_by(col(ClaimRow.strategy))
        .order_by(func.min(ClaimRow.seq))
    )
    with database.read() as session:
        tally = tallied(session, campaign_id, known)
        records = tuple(
            StrategyRecord(
                strategy=strategy,
                lane=lane,
                claims=claims,
                exhausted=exhausted,
                tried=tally.strategies.get(strategy, Tried()),
            )
            for strategy, lane, claims, exhausted in session.exec(claimed)
        )
    return records, tally


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
    same_as, submission = col(VerificationRow.same_as), col(SubmissionRow.id)
    decided = col(DecisionRow.submission_id)
    counted = (
        select(
            func.count(), func.count(case((decided == submission, decided))), func.count(decided)
        )
        .select_from(ClaimRow)
        .join(SubmissionRow, col(SubmissionRow.claim_id) == ClaimRow.id)
        .outerjoin(VerificationRow, col(VerificationRow.submission_id) == submission)
        .outerjoin(DecisionRow, decided == func.coalesce(same_as, submission))
        .where(
            ClaimRow.campaign_id == claim.campaign_id,
            ClaimRow.strategy == claim.strategy,
            ClaimRow.token == claim.token,
            ClaimRow.agent == claim.agent,
        )
    )
    with database.read() as session:
        handed_in, benchmarked, measured = session.exec(counted).one()
    return Counts(handed_in=handed_in, benchmarked=benchmarked, measured=measured)


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


def _ranked(session: Session, campaign_id: int, only: int = 0) -> Any:
    """Believed submissions with their strategies, the fastest first; `only`: this one."""
    wanted = believed(session, campaign_id, select(SubmissionRow.id, ClaimRow.strategy))
    wanted = wanted.where(col(SubmissionRow.id) == only) if only else wanted
    return wanted.order_by(col(DecisionRow.speedup).desc(), col(DecisionRow.seq))
