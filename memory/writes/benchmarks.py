"""Record a benchmark's numbers and decision, and promote by compare-and-swap.

A promotion is a row whose key is the next generation: of two candidates that beat the same
champion the database lets one take it, and the other is told to duel the new champion.

Neither may rest on a revoked submission. Start at `record`. Not here: the decision itself
(`guard.gate`).
"""

from pydantic_core import from_json
from sqlalchemy import func, text
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from guard.domain.decision import Verdict
from guard.domain.solution import Solution
from guard.domain.trace import Judgement
from memory.champions import champion_of
from memory.records import Benchmark
from memory.rows import revoked_digests
from memory.tables import BELIEVED, DecisionRow, PromotionRow, SubmissionRow
from memory.text import store_solution, to_text
from memory.writes import jobs
from memory.writes.common import insert, new_fact, require_submission
from memory.writes.verifications import store_evaluations


class ChampionMoved(Exception):
    """There is another champion meanwhile; undoes the transaction, seen by `Board` alone."""


def record(session: Session, benchmark: Benchmark, job_id: str, promote: Solution | None) -> None:
    """Store a benchmark and finish its job, unless the job has ended.

    Raises:
        ChampionMoved: the champion is no longer the one it was compared with, or what would be
            promoted was revoked.
    """
    if (promote is not None) != (benchmark.decision.verdict is Verdict.PROMOTED):
        raise ValueError("a solution is promoted exactly when the verdict is 'promoted'")
    submission = require_submission(session, benchmark.submission_id)
    if not jobs.finish(session, job_id, benchmark.decided_s):
        return
    _refuse_revoked(session, benchmark, submission, promote)
    insert(session, _decision(session, benchmark, submission))
    judgements = (
        Judgement(workload=workload, evaluation=evaluation)
        for workload, evaluation in benchmark.evaluations.items()
    )
    store_evaluations(session, benchmark.submission_id, "benchmark", judgements)
    if promote is not None:
        _promote(session, benchmark, submission, promote)


def _refuse_revoked(
    session: Session, benchmark: Benchmark, submission: SubmissionRow, promote: Solution | None
) -> None:
    # Whatever was decided against a revoked champion was measured with a false yardstick: not
    # even a loss may stand, for it would count to a plateau.
    revoked = revoked_digests(session, submission.campaign_id)
    if benchmark.over_champion.champion in revoked:
        raise ChampionMoved
    # The same solution was revoked since the decision was drawn, which says otherwise then.
    if submission.solution_digest in revoked and benchmark.decision.verdict.believed:
        raise ChampionMoved
    if promote is None or not revoked:
        return
    holding = champion_of(session, submission.campaign_id).submission_id
    if holding != benchmark.champion_submission_id:
        raise ChampionMoved


def _decision(session: Session, benchmark: Benchmark, submission: SubmissionRow) -> DecisionRow:
    alone = benchmark.over_champion == benchmark.over_baseline
    return DecisionRow(
        submission_id=benchmark.submission_id,
        seq=new_fact(session, submission.campaign_id, "decision"),
        verdict=benchmark.decision.verdict.value,
        decision=to_text(benchmark.decision),
        speedup=benchmark.speedup.estimate,
        speedup_low=benchmark.speedup.low,
        speedup_high=benchmark.speedup.high,
        over_baseline=to_text(benchmark.over_baseline),
        over_champion=None if alone else to_text(benchmark.over_champion),
        champion_submission_id=benchmark.champion_submission_id or None,
        generation=benchmark.generation,
        decided_s=benchmark.decided_s,
        progress=benchmark.progress,
        terms=to_text(benchmark.terms) if benchmark.terms else None,
        derived=benchmark.derived,
        campaign_id=submission.campaign_id,
        over_parents=benchmark.speedup.estimate / _parents_speedup(session, submission),
    )


def _parents_speedup(session: Session, submission: SubmissionRow) -> float:
    """The best of what it builds on, over the baseline; 1 where that is the baseline itself."""
    fastest = session.exec(
        select(func.max(DecisionRow.speedup)).where(
            col(DecisionRow.submission_id).in_(from_json(submission.builds_on)), text(BELIEVED)
        )
    ).one()
    return max(1.0, fastest or 1.0)


def _promote(
    session: Session, benchmark: Benchmark, submission: SubmissionRow, solution: Solution
) -> None:
    promotion = PromotionRow(
        campaign_id=submission.campaign_id,
        generation=benchmark.generation + 1,
        submission_id=benchmark.submission_id,
        solution_digest=store_solution(session, solution),
    )
    try:
        insert(session, promotion)
    except IntegrityError as error:
        raise ChampionMoved from error
