"""Everything that is ever read from the board: one function, one consistent snapshot.

Views are derived anew from the stored facts at each call, so champion, leaderboard and counters
cannot drift from them. They return frozen records, never rows, and never write. They block, so an
event loop calls them in threads; any number of threads may.

Start at `champion`. Not here: writing (`board`), how rows become records (`rows`).
"""

from sqlalchemy import ColumnElement, func, text
from sqlmodel import Session, col, select

from memory.champions import champion_of
from memory.conclusion import Conclusion
from memory.engine import Database
from memory.kept import keep
from memory.overturned import overturned
from memory.records import (
    Benchmark,
    Campaign,
    Champion,
    Claim,
    ClaimEvent,
    Job,
    JobState,
    Revocation,
    Submission,
    Token,
)
from memory.rows import (
    benchmarks_of,
    campaigns_of,
    claim_of,
    conclusion_of,
    event_of,
    job_of,
    require_campaign,
    revocations_of,
    revoked_digests,
    submissions_of,
)
from memory.tables import (
    BELIEVED,
    LIVE_STATE,
    CampaignRow,
    ClaimEventRow,
    ClaimRow,
    ConclusionRow,
    DecisionRow,
    FactRow,
    JobRow,
    SubmissionRow,
    TokenRow,
)
from memory.text import hash_of

# --- campaigns ------------------------------------------------------------------------------


def campaigns(database: Database) -> tuple[Campaign, ...]:
    """All campaigns, oldest first."""
    return _campaigns(database)


def open_campaign(database: Database, problem: str, device: str) -> Campaign | None:
    """The campaign that is running on this problem (by name) and device."""
    found = _campaigns(
        database,
        col(CampaignRow.problem_name) == problem,
        col(CampaignRow.device) == device,
        col(CampaignRow.ended_s).is_(None),
    )
    return next(iter(found), None)


def campaign(database: Database, campaign_id: int) -> Campaign:
    """One campaign.

    Raises:
        LookupError: no campaign has this id.
    """
    with database.read() as session:
        return campaigns_of(session, [require_campaign(session, campaign_id)])[0]


def champion(database: Database, campaign_id: int) -> Champion:
    """The last promoted submission, or who succeeded it when it was revoked, or the baseline.

    Raises:
        LookupError: no campaign has this id.
    """
    with database.read() as session:
        return champion_of(session, campaign_id)


def revocations(database: Database, campaign_id: int, since: int = 0) -> tuple[Revocation, ...]:
    """What was revoked in a campaign after `since`, oldest first."""
    with database.read() as session:
        return revocations_of(session, campaign_id, since)


def latest_seq(database: Database, campaign_id: int) -> int:
    """The number of the campaign's newest fact, 0 when there is none."""
    with database.read() as session:
        newest = select(func.max(FactRow.seq)).where(FactRow.campaign_id == campaign_id)
        return session.exec(newest).one() or 0


# --- claims ---------------------------------------------------------------------------------


def claim(database: Database, claim_id: str) -> Claim | None:
    """One claim, whatever its state."""
    with database.read() as session:
        row = session.get(ClaimRow, claim_id)
        return claim_of(row) if row else None


def claims(database: Database, campaign_id: int) -> tuple[Claim, ...]:
    """All claims of a campaign, oldest first."""
    return _claims(database, col(ClaimRow.campaign_id) == campaign_id)


def live_claims(database: Database, campaign_id: int, now_s: float) -> tuple[Claim, ...]:
    """The claims whose lease runs, oldest first."""
    return _claims(
        database,
        col(ClaimRow.campaign_id) == campaign_id,
        col(ClaimRow.state) == LIVE_STATE,
        col(ClaimRow.expires_s) > now_s,
    )


def claim_events(database: Database, campaign_id: int) -> tuple[ClaimEvent, ...]:
    """The history of all claims of a campaign, oldest first."""
    wanted = (
        select(ClaimEventRow)
        .join(FactRow, col(FactRow.seq) == ClaimEventRow.seq)
        .where(FactRow.campaign_id == campaign_id)
        .order_by(col(ClaimEventRow.seq))
    )
    with database.read() as session:
        return tuple(map(event_of, session.exec(wanted)))


# --- submissions and their benchmarks -------------------------------------------------------


def submission(database: Database, submission_id: int) -> Submission | None:
    """One submission with all that became of it."""
    return next(iter(_submissions(database, col(SubmissionRow.id) == submission_id)), None)


def submissions(database: Database, campaign_id: int) -> tuple[Submission, ...]:
    """All submissions of a campaign, oldest first."""
    return _submissions(database, col(SubmissionRow.campaign_id) == campaign_id)


def leaderboard(database: Database, campaign_id: int, limit: int) -> tuple[Submission, ...]:
    """The fastest correct submissions that count, by speedup over the baseline, best first."""
    with database.read() as session:
        revoked = revoked_digests(session, campaign_id)
        rows = session.exec(
            select(SubmissionRow)
            .join(DecisionRow, col(DecisionRow.submission_id) == SubmissionRow.id)
            .where(DecisionRow.campaign_id == campaign_id, text(BELIEVED))
            .where(col(SubmissionRow.solution_digest).not_in(revoked))
            .order_by(col(DecisionRow.speedup).desc(), col(DecisionRow.seq).desc())
            .limit(limit)
        ).all()
        return tuple(_ranked(session, row) for row in rows)


def benchmarks(database: Database, campaign_id: int) -> tuple[Benchmark, ...]:
    """All benchmarks of a campaign, in the order they were decided."""
    return _benchmarks(database, col(SubmissionRow.campaign_id) == campaign_id)


def benchmarks_of_claim(database: Database, claim_id: str) -> tuple[Benchmark, ...]:
    """All benchmarks under one claim, in the order they were decided."""
    return _benchmarks(database, col(SubmissionRow.claim_id) == claim_id)


def counted_benchmarks(database: Database, claim: Claim) -> tuple[Benchmark, ...]:
    """The benchmarks under one claim whose solutions were not revoked, in the order decided."""
    with database.read() as session:
        revoked = revoked_digests(session, claim.campaign_id)
    of_claim = col(SubmissionRow.claim_id) == claim.id
    return _benchmarks(database, of_claim & col(SubmissionRow.solution_digest).not_in(revoked))


def benchmark_of(database: Database, submission_id: int) -> Benchmark | None:
    """The benchmark of one submission, if it was decided."""
    return next(iter(_benchmarks(database, col(SubmissionRow.id) == submission_id)), None)


# --- conclusions, jobs, tokens --------------------------------------------------------------


def conclusions(
    database: Database,
    campaign_id: int,
    since: int = 0,
    kind: str = "",
    strategy: str = "",
    limit: int = 20,
) -> tuple[Conclusion, ...]:
    """The newest `limit` after `since`, oldest of them first; empty `kind` or `strategy`: any."""
    wanted = (
        select(ConclusionRow)
        .where(ConclusionRow.campaign_id == campaign_id, ConclusionRow.seq > since)
        .order_by(col(ConclusionRow.seq).desc())
        .limit(limit)
    )
    if kind:
        wanted = wanted.where(ConclusionRow.kind == kind)
    if strategy:
        wanted = wanted.where(ConclusionRow.strategy == strategy)
    with database.read() as session:
        rows = list(reversed(session.exec(wanted).all()))
        fallen = overturned(session, campaign_id, rows)
        return tuple(conclusion_of(row, fallen.get(row.seq, ())) for row in rows)


def job(database: Database, job_id: str) -> Job | None:
    """One job."""
    return next(iter(_jobs(database, col(JobRow.id) == job_id)), None)


def open_jobs(database: Database) -> tuple[Job, ...]:
    """All queued and running jobs, in the order they were asked for."""
    states = [JobState.QUEUED.value, JobState.RUNNING.value]
    return _jobs(database, col(JobRow.state).in_(states))


def jobs_of_submission(database: Database, submission_id: int) -> tuple[Job, ...]:
    """All jobs of one submission, oldest first."""
    return _jobs(database, col(JobRow.submission_id) == submission_id)


def token_name(database: Database, secret: str) -> str | None:
    """Whose secret this is; None when it is unknown or revoked."""
    with database.read() as session:
        return session.exec(
            select(TokenRow.name).where(
                TokenRow.sha256 == hash_of(secret), col(TokenRow.revoked_s).is_(None)
            )
        ).first()


def tokens(database: Database) -> tuple[Token, ...]:
    """All tokens, oldest first, revoked ones included."""
    with database.read() as session:
        rows = session.exec(select(TokenRow).order_by(col(TokenRow.id))).all()
        return tuple(Token.model_validate(row.model_dump(exclude={"id", "sha256"})) for row in rows)


def _campaigns(database: Database, *conditions: ColumnElement[bool]) -> tuple[Campaign, ...]:
    wanted = select(CampaignRow).where(*conditions).order_by(col(CampaignRow.id))
    with database.read() as session:
        return campaigns_of(session, session.exec(wanted).all())


def _claims(database: Database, *conditions: ColumnElement[bool]) -> tuple[Claim, ...]:
    with database.read() as session:
        rows = session.exec(select(ClaimRow).where(*conditions).order_by(col(ClaimRow.seq)))
        return tuple(map(claim_of, rows))


def _submissions(database: Database, condition: ColumnElement[bool]) -> tuple[Submission, ...]:
    wanted = select(SubmissionRow).where(condition).order_by(col(SubmissionRow.id))
    with database.read() as session:
        return submissions_of(session, session.exec(wanted).all())


def _ranked(session: Session, row: SubmissionRow) -> Submission:
    # Of what was decided and still counts, nothing changes any more.
    return keep(session, ("ranked", row.id), lambda: submissions_of(session, [row])[0])


def _benchmarks(database: Database, condition: ColumnElement[bool]) -> tuple[Benchmark, ...]:
    wanted = (
        select(DecisionRow)
        .join(SubmissionRow, col(SubmissionRow.id) == DecisionRow.submission_id)
        .where(condition)
        .order_by(col(DecisionRow.seq))
    )
    with database.read() as session:
        return benchmarks_of(session, session.exec(wanted).all())


def _jobs(database: Database, condition: ColumnElement[bool]) -> tuple[Job, ...]:
    with database.read() as session:
        rows = session.exec(select(JobRow).where(condition).order_by(col(JobRow.number)))
        return tuple(map(job_of, rows))
