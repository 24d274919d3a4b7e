"""A campaign's course, as callers see it: where it stands, what was spent on it, who read what.

Start at `course`. Like all views: one function, one consistent snapshot, frozen records. Not here:
writing (`campaign_board`), what agents handed in (`views`).
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field
from sqlalchemy import or_
from sqlmodel import Session, col, func, select

from guard.domain.spent import Spent
from guard.domain.value import Value
from memory.course_tables import CampaignEventRow, ReadingRow, SpendingRow
from memory.engine import Database
from memory.tables import CampaignRow, ClaimRow, JobRow, SubmissionRow

CampaignEventKind = Literal["paused", "resumed", "stopped"]


class CampaignEvent(Value):
    """One event of a campaign: it stands differently from then on."""

    seq: int
    kind: CampaignEventKind
    at_s: float
    detail: str
    """Why; of a stop, a `Stop` as JSON."""


class Stop(Value):
    """A limit of the Policy that a campaign has reached: nothing more is tried in it."""

    limit: str
    """The Policy's field."""
    allowed: float
    reached: float
    unit: str


class Course(Value):
    """Where a campaign stands."""

    events: tuple[CampaignEvent, ...] = ()

    @property
    def pause(self) -> CampaignEvent | None:
        """The pause that it is in."""
        last = [event for event in self.events if event.kind in ("paused", "resumed")][-1:]
        return last[0] if last and last[0].kind == "paused" else None

    @property
    def stopped(self) -> CampaignEvent | None:
        """When it was stopped."""
        return next((event for event in self.events if event.kind == "stopped"), None)

    @property
    def stop(self) -> Stop | None:
        """At which limit it was stopped."""
        found = self.stopped
        return Stop.model_validate_json(found.detail) if found is not None else None

    def paused_s(self, now_s: float) -> float:
        """For how long it had been paused by then, seconds."""
        total, since = 0.0, None
        for event in self.events:
            if event.at_s >= now_s:
                break
            if event.kind == "paused":
                since = event.at_s
            elif event.kind == "resumed" and since is not None:
                total, since = total + event.at_s - since, None
        return total + (now_s - since if since is not None else 0.0)


class Spending(Value):
    """What one order cost."""

    campaign_id: int
    job_id: str = ""
    """Empty: the house's own."""
    claim_id: str = ""
    """Under which claim the job was; empty: the house's own."""
    submission_id: int = 0
    ordered: str
    spent: Spent
    at_s: float


class Totals(Value):
    """What a campaign's limits are held against, counted through the newest row of each kind."""

    candidates: int = 0
    device_s: float = Field(default=0.0, ge=0)
    submission_id: int = 0
    spending_id: int = 0


class Reading(Value):
    """A conclusion that was shown to a claim's agent, and when first."""

    claim_id: str
    conclusion_seq: int
    at_s: float


def course(database: Database, campaign_id: int) -> Course:
    """The events of a campaign."""
    with database.read() as session:
        return course_of(session, campaign_id)


def course_of(session: Session, campaign_id: int) -> Course:
    """The same within a transaction."""
    wanted = select(CampaignEventRow).where(CampaignEventRow.campaign_id == campaign_id)
    rows = session.exec(wanted.order_by(col(CampaignEventRow.seq)))
    told = [row.model_dump(exclude={"campaign_id"}) for row in rows]
    return Course(events=tuple(map(CampaignEvent.model_validate, told)))


def going(database: Database) -> dict[int, bool]:
    """The campaigns that go on, each with whether anything has ever happened to it."""
    events = select(CampaignEventRow.seq).where(CampaignEventRow.campaign_id == CampaignRow.id)
    wanted = select(CampaignRow.id, events.exists()).where(col(CampaignRow.ended_s).is_(None))
    with database.read() as session:
        return {id_: happened for id_, happened in session.exec(wanted) if id_ is not None}


def concerned(
    database: Database, *, problem: str, claim_id: str, submission_id: int, job_ids: Sequence[str]
) -> tuple[int, ...]:
    """The campaigns that go on and that any of these belong to."""
    jobs = select(SubmissionRow.campaign_id).join(
        JobRow, col(JobRow.submission_id) == SubmissionRow.id
    )
    wanted = select(CampaignRow.id).where(
        col(CampaignRow.ended_s).is_(None),
        or_(
            col(CampaignRow.problem_name) == problem,
            col(CampaignRow.id).in_(select(ClaimRow.campaign_id).where(ClaimRow.id == claim_id)),
            col(CampaignRow.id).in_(
                select(SubmissionRow.campaign_id).where(SubmissionRow.id == submission_id)
            ),
            col(CampaignRow.id).in_(jobs.where(col(JobRow.id).in_(job_ids))),
        ),
    )
    with database.read() as session:
        return tuple(id_ for id_ in session.exec(wanted) if id_ is not None)


def totals(database: Database, campaign_id: int, known: Totals | None = None) -> Totals:
    """How far a campaign has used up what it may; only what came after `known` is counted."""
    before = known or Totals()
    handed_in = select(func.count(), func.max(SubmissionRow.id)).where(
        SubmissionRow.campaign_id == campaign_id, col(SubmissionRow.id) > before.submission_id
    )
    spent = select(func.sum(SpendingRow.device_s), func.max(SpendingRow.id)).where(
        SpendingRow.campaign_id == campaign_id, col(SpendingRow.id) > before.spending_id
    )
    with database.read() as session:
        candidates, submission_id = session.exec(handed_in).one()
        device_s, spending_id = session.exec(spent).one()
    return Totals(
        candidates=before.candidates + candidates,
        device_s=before.device_s + (device_s or 0.0),
        submission_id=submission_id or before.submission_id,
        spending_id=spending_id or before.spending_id,
    )


def spendings(database: Database, campaign_id: int) -> tuple[Spending, ...]:
    """What every order of a campaign cost, oldest first."""
    wanted = (
        select(SpendingRow, JobRow)
        .join(JobRow, col(JobRow.id) == SpendingRow.job_id, isouter=True)
        .where(SpendingRow.campaign_id == campaign_id)
        .order_by(col(SpendingRow.id))
    )
    with database.read() as session:
        return tuple(_spending(row, job) for row, job in session.exec(wanted))


def readings(database: Database, campaign_id: int) -> tuple[Reading, ...]:
    """Which conclusions were shown to whom in a campaign, oldest first."""
    wanted = (
        select(ReadingRow)
        .join(ClaimRow, col(ClaimRow.id) == ReadingRow.claim_id)
        .where(ClaimRow.campaign_id == campaign_id)
        .order_by(col(ReadingRow.id))
    )
    with database.read() as session:
        rows = session.exec(wanted)
        return tuple(Reading.model_validate(row.model_dump(exclude={"id"})) for row in rows)


def read_by(database: Database, claim_id: str) -> frozenset[int]:
    """The numbers of the conclusions that a claim's agent was shown."""
    wanted = select(ReadingRow.conclusion_seq).where(ReadingRow.claim_id == claim_id)
    with database.read() as session:
        return frozenset(session.exec(wanted))


def _spending(row: SpendingRow, job: JobRow | None) -> Spending:
    return Spending(
        campaign_id=row.campaign_id,
        job_id=row.job_id or "",
        claim_id=job.claim_id if job else "",
        submission_id=job.submission_id if job else 0,
        ordered=row.ordered,
        spent=Spent(wait_s=row.wait_s, compile_s=row.compile_s, device_s=row.device_s),
        at_s=row.at_s,
    )
