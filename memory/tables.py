"""The tables: what is on disk, one class per kind of row.

Facts (submissions, evaluations, decisions, promotions, health duels, revocations, conclusions,
claim events) are only ever added. Claims, campaigns, jobs and tokens have a state besides, which
moves by conditional updates. Nested values are JSON text, sources are stored once by the hash of
their content, row ids are never reused, and every unique index below is the only judge of the race
it decides.

Start at `SubmissionRow`. Not here: conclusions (`conclusion_table`), the values that callers see
(`records`), queries (`views`), SQL of one product (`engine`, `search`). A change here needs a step
in `migrations`.
"""

from sqlalchemy import ColumnElement, Index, Text, UniqueConstraint, literal_column
from sqlmodel import Field

from guard.domain.decision import Verdict
from memory.base import Row, listed_while, unique_while
from memory.conclusion_table import ConclusionRow as ConclusionRow
from memory.records import ClaimState, JobState

LIVE_STATE: ColumnElement[str] = literal_column(f"'{ClaimState.LIVE}'")
"""Spelled out in queries, so that the database sees that its index of live claims will do."""
_LIVE = f"state = {LIVE_STATE}"
BELIEVED = f"verdict IN ({', '.join(repr(v.value) for v in Verdict if v.believed)})"
"""Of correct, believable candidates: what a leaderboard may list."""
_OPEN = f"state IN ('{JobState.QUEUED}', '{JobState.RUNNING}')"


class SourceRow(Row, table=True):
    """A text by its hash, stored once: a source file, or a packed listing."""

    __tablename__ = "source"

    sha256: str = Field(primary_key=True)
    content: str = Field(sa_type=Text)


class SolutionRow(Row, table=True):
    """A solution by its digest; in `body` each source's content is its SHA-256."""

    __tablename__ = "solution"

    digest: str = Field(primary_key=True)
    body: str = Field(sa_type=Text)


class CampaignRow(Row, table=True):
    """One problem, one device, one Policy."""

    __tablename__ = "campaign"
    __table_args__ = (
        unique_while("ended_s IS NULL", "one_open_campaign", "problem_name", "device"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    problem_name: str = Field(index=True)
    device: str
    hardware: str
    problem: str = Field(sa_type=Text)
    policy: str = Field(sa_type=Text)
    baseline: str = Field(sa_type=Text)
    """Without its solution, which `baseline_digest` names."""
    baseline_digest: str = Field(foreign_key="solution.digest")
    started_s: float
    ended_s: float | None = None


class FactRow(Row, table=True):
    """The board's one sequence: whatever a reader can see has a number that only grows."""

    __tablename__ = "fact"
    __table_args__ = {"sqlite_autoincrement": True}

    seq: int | None = Field(default=None, primary_key=True)
    campaign_id: int = Field(foreign_key="campaign.id", index=True)
    kind: str


class ClaimRow(Row, table=True):
    """Who is on which strategy."""

    __tablename__ = "claim"
    __table_args__ = (
        UniqueConstraint("campaign_id", "strategy", "generation"),
        unique_while(_LIVE, "one_live_claim_per_strategy", "campaign_id", "strategy"),
        unique_while(_LIVE, "one_live_claim_per_agent", "campaign_id", "token", "agent"),
        Index("claim_of_agent", "campaign_id", "token", "agent", "seq"),
    )

    id: str = Field(primary_key=True)
    seq: int = Field(foreign_key="fact.seq")
    campaign_id: int = Field(foreign_key="campaign.id", index=True)
    strategy: str
    lane: str
    token: str
    agent: str
    generation: int
    state: str
    reason: str = Field(sa_type=Text)
    claimed_s: float
    expires_s: float
    phase: str = ""
    """What it was handed out for; empty: by an earlier version."""
    parents: str = Field(default="[]", sa_type=Text)


class ClaimEventRow(Row, table=True):
    """One entry of a claim's history."""

    __tablename__ = "claim_event"

    seq: int = Field(primary_key=True, foreign_key="fact.seq")
    claim_id: str = Field(foreign_key="claim.id", index=True)
    kind: str
    at_s: float
    detail: str = Field(default="", sa_type=Text)
    model: str = ""
    tokens: int = 0
    cost_usd: float = 0.0


class SubmissionRow(Row, table=True):
    """A solution handed in under a claim."""

    __tablename__ = "submission"
    __table_args__ = (
        UniqueConstraint("claim_id", "solution_digest"),
        Index("same_solution", "campaign_id", "solution_digest"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    seq: int = Field(foreign_key="fact.seq")
    campaign_id: int = Field(foreign_key="campaign.id", index=True)
    claim_id: str = Field(foreign_key="claim.id")
    solution_digest: str = Field(foreign_key="solution.digest")
    builds_on: str = Field(sa_type=Text)
    submitted_s: float


class VerificationRow(Row, table=True):
    """The answer to *is it correct?*, without its evaluations."""

    __tablename__ = "verification"
    __table_args__ = (listed_while("same_as IS NOT NULL", "copies", "same_as"),)

    submission_id: int = Field(primary_key=True, foreign_key="submission.id")
    seq: int = Field(foreign_key="fact.seq", index=True)
    compiled: str = Field(sa_type=Text)
    note: str = Field(sa_type=Text)
    verified_s: float
    adherence: str | None = Field(default=None, sa_type=Text)
    """None: not judged, since it did not compile or an earlier version verified it."""
    sealed: bool = False
    """False also where an earlier version verified it, which did not store it."""
    code_digest: str = Field(default="", index=True)
    same_as: int | None = Field(default=None, foreign_key="submission.id")
    """The submission whose record answered for it; none: it was judged itself."""


class AttemptRow(Row, table=True):
    """A verification that showed nothing: the same solution is judged anew when it comes again."""

    __tablename__ = "attempt"

    seq: int = Field(primary_key=True, foreign_key="fact.seq")
    submission_id: int = Field(foreign_key="submission.id", index=True)
    verification: str = Field(sa_type=Text)


class EvaluationRow(Row, table=True):
    """One workload's judged outcome, of a verification or of a benchmark."""

    __tablename__ = "evaluation"
    __table_args__ = (
        UniqueConstraint("submission_id", "stage", "workload"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    submission_id: int = Field(foreign_key="submission.id")
    stage: str
    """``verify`` or ``benchmark``."""
    workload: str
    status: str
    body: str = Field(sa_type=Text)


class DecisionRow(Row, table=True):
    """The numbers and the gate's answer of one benchmark."""

    __tablename__ = "decision"
    __table_args__ = (listed_while(BELIEVED, "ranked", "campaign_id", "speedup", "seq"),)

    submission_id: int = Field(primary_key=True, foreign_key="submission.id")
    seq: int = Field(foreign_key="fact.seq", index=True)
    verdict: str
    decision: str = Field(sa_type=Text)
    speedup: float
    speedup_low: float
    speedup_high: float
    over_baseline: str = Field(sa_type=Text)
    over_champion: str | None = Field(default=None, sa_type=Text)
    """None: the same duel as `over_baseline`."""
    champion_submission_id: int | None = Field(default=None, foreign_key="submission.id")
    """None: it was compared with the baseline."""
    generation: int
    decided_s: float
    progress: bool
    terms: str | None = Field(default=None, sa_type=Text)
    """None: decided by an earlier version, which had none."""
    derived: bool = False
    campaign_id: int = Field(foreign_key="campaign.id")
    """Its submission's, for the index."""
    over_parents: float
    """Speedup over the fastest of what it builds on; over the baseline where that is nothing."""


class HealthRow(Row, table=True):
    """A duel by which the house watches itself; no candidate takes part."""

    __tablename__ = "health"

    seq: int = Field(primary_key=True, foreign_key="fact.seq")
    campaign_id: int = Field(foreign_key="campaign.id", index=True)
    kind: str
    wrong: bool
    body: str = Field(sa_type=Text)


class PromotionRow(Row, table=True):
    """A new champion. Its key is the compare-and-swap: each generation is taken once."""

    __tablename__ = "promotion"

    campaign_id: int = Field(primary_key=True, foreign_key="campaign.id")
    generation: int = Field(primary_key=True)
    submission_id: int = Field(foreign_key="decision.submission_id", unique=True)
    solution_digest: str = Field(foreign_key="solution.digest")


class RevocationRow(Row, table=True):
    """A submission found out later: from then on neither it nor the same solution counts."""

    __tablename__ = "revocation"

    submission_id: int = Field(primary_key=True, foreign_key="submission.id")
    seq: int = Field(foreign_key="fact.seq")
    reason: str = Field(sa_type=Text)
    revoked_s: float
    campaign_id: int = Field(foreign_key="campaign.id", index=True)
    """Its submission's, like the digest: neither may be searched for among all submissions."""
    solution_digest: str


class JobRow(Row, table=True):
    """Work that the server owns."""

    __tablename__ = "job"
    __table_args__ = (
        unique_while(_OPEN, "one_open_job_per_submission", "kind", "submission_id"),
        {"sqlite_autoincrement": True},
    )

    number: int | None = Field(default=None, primary_key=True)
    """The order of the queue."""
    id: str = Field(unique=True)
    kind: str
    submission_id: int = Field(foreign_key="submission.id", index=True)
    claim_id: str = Field(foreign_key="claim.id", index=True)
    state: str = Field(index=True)
    attempts: int = 0
    reason: str = Field(default="", sa_type=Text)
    created_s: float
    finished_s: float | None = None


class TokenRow(Row, table=True):
    """A named right to use the server."""

    __tablename__ = "token"
    __table_args__ = (
        unique_while("revoked_s IS NULL", "one_valid_token", "name"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    name: str
    sha256: str = Field(unique=True)
    created_s: float
    revoked_s: float | None = None
