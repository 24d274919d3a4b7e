"""What the board returns: frozen values, one per kind of stored fact.

Times are seconds since the epoch (UTC). Ids of rows are integers and are never reused; claim and
job ids are unguessable texts. Not here: tables (`tables`), writes (`board`), reads (`views`).
"""

from enum import StrEnum
from typing import Literal

from guard.domain.adherence import Adherence
from guard.domain.decision import Decision, Interval, Policy, Terms
from guard.domain.problem import Problem
from guard.domain.solution import Solution
from guard.domain.trace import Baseline, Duel, Evaluation, Verification
from guard.domain.value import Value


class Champion(Value):
    """The best promoted solution of a campaign; the baseline holds the place at the start."""

    submission_id: int
    """0: the baseline."""
    generation: int
    """Grows by one with each promotion: the compare-and-swap key."""
    solution: Solution
    speedup: Interval | None
    """Over the baseline; none for the baseline itself."""
    derived: bool = False
    """See `Submission.derived`."""
    agent: str = ""
    """Who handed it in; empty: it is the baseline."""


class Campaign(Value):
    """One problem, one device, one Policy, from start to stop."""

    id: int
    problem: Problem
    """As it was when the campaign started."""
    device: str
    """The device's name, such as ``cpu`` or ``cuda:0``."""
    hardware: str
    policy: Policy
    baseline: Baseline
    started_s: float
    ended_s: float | None = None

    def continues(self, problem: Problem, kind: str, hardware: str, policy: Policy) -> bool:
        """Whether work on this problem, kind of device, hardware and Policy still belongs to it.

        Where the problem's folder lies, and workloads for other kinds of device, do not matter.
        """
        now, then = problem, self.problem
        return (
            (now.definition, now.baseline_source) == (then.definition, then.baseline_source)
            and now.workloads_for(kind) == then.workloads_for(kind)
            and (hardware, policy) == (self.hardware, self.policy)
        )


class ClaimState(StrEnum):
    """Where a claim stands."""

    LIVE = "live"
    EXHAUSTED = "exhausted"
    DONE = "done"
    ABANDONED = "abandoned"
    TAKEN_OVER = "taken_over"

    def may_become(self, other: "ClaimState") -> bool:
        """Whether a claim may move from this state to the other."""
        return other in _NEXT_CLAIM[self]


_NEXT_CLAIM: dict[ClaimState, set[ClaimState]] = {
    ClaimState.LIVE: {
        ClaimState.EXHAUSTED,
        ClaimState.DONE,
        ClaimState.ABANDONED,
        ClaimState.TAKEN_OVER,
    },
    # Exhausted is an end: what the agent reports when it leaves is an event, and the lane that
    # must not be handed out next stays visible in the state.
    ClaimState.EXHAUSTED: set(),
    ClaimState.DONE: set(),
    ClaimState.ABANDONED: set(),
    ClaimState.TAKEN_OVER: set(),
}


class Claim(Value):
    """Who is on which strategy, until when."""

    id: str
    campaign_id: int
    strategy: str
    lane: str
    token: str
    """Name of the token, or ``local``."""
    agent: str
    """The label the agent gave."""
    generation: int
    """How often this strategy has been claimed in this campaign, from 1."""
    state: ClaimState
    reason: str
    """Why the coordinator chose this strategy."""
    phase: str = ""
    """What it was handed out for; empty: an earlier version did, which stored none."""
    parents: tuple[int, ...] = ()
    """The submissions that a composite is to be made of."""
    claimed_s: float
    expires_s: float


class ClaimEvent(Value):
    """One entry of a claim's history."""

    seq: int
    claim_id: str
    kind: Literal["claimed", "renewed", "exhausted", "done", "abandoned", "taken_over"]
    at_s: float
    detail: str = ""
    model: str = ""
    """What the agent said it ran on, when it left."""
    tokens: int = 0
    """Language-model tokens the agent said it spent."""
    cost_usd: float = 0.0
    """What the agent said that cost, in US dollars."""


class Submission(Value):
    """A solution handed in under a claim."""

    id: int
    campaign_id: int
    claim_id: str
    agent: str
    strategy: str
    lane: str
    solution: Solution
    builds_on: tuple[int, ...]
    submitted_s: float
    verification: Verification | None = None
    adherence: Adherence | None = None
    """Whether it follows its claim's strategy; none until verified, or where nothing compiled."""
    same_as: int = 0
    """The submission whose record answered for this one; 0: it is judged itself."""
    decision: Decision | None = None
    speedup: Interval | None = None
    """Over the baseline; none until benchmarked."""
    derived: bool = False
    """Whether the speedup is the champion's, times the ratio that was measured to the champion."""
    revoked: str = ""
    """Why it, or the same solution, was revoked; empty while it counts."""


class Benchmark(Value):
    """The recorded numbers and the decision of one benchmark."""

    submission_id: int
    over_baseline: Duel
    """Fresh pairs after a promotion was decided; else none, unless the baseline was champion."""
    over_champion: Duel
    """The duel that decided."""
    decision: Decision
    terms: Terms | None = None
    """What the decision rests on besides the duel; none: decided by an earlier version."""
    speedup: Interval
    """Over the baseline."""
    derived: bool = False
    """Whether the speedup is the champion's, times the ratio that was measured to the champion."""
    evaluations: dict[str, Evaluation]
    """Per workload, with performance where it was timed."""
    champion_submission_id: int
    """The champion it was compared with (0: the baseline)."""
    generation: int
    """The champion generation it was compared with."""
    decided_s: float
    progress: bool
    """Whether it counts as progress for the claim's plateau."""


HealthKind = Literal["seed", "aa", "planted", "grand"]
"""seed: champion against itself before the first duel, for sigma. aa: the same later, under the
rule of a promotion. planted: with a loss planted on one side. grand: against the first champion."""


class HealthDuel(Value):
    """A duel by which the house watches its own gate."""

    seq: int = 0
    """Its number on the board; 0 until it is recorded."""
    campaign_id: int
    kind: HealthKind
    champion_submission_id: int
    """Who stood as the candidate (0: the baseline)."""
    against_submission_id: int
    """Who stood as the champion: itself, or the first one promoted (0: the baseline)."""
    duel: Duel
    terms: Terms
    ratio: Interval
    """How much faster the candidate's side was."""
    expected: float
    """What it should have been: 1 against itself, or the product of the promoted gains."""
    promoted: bool
    """Whether the rule would have promoted it."""
    wrong: bool
    """A false promotion, or a planted loss that was not detected."""
    fought_s: float


class Tally(Value):
    """How far a campaign's duels are."""

    decisions: int
    promotions: int
    last_number: int
    """The highest number that a decided duel had."""


class HealthTotals(Value):
    """The house's own duels of one kind, over all campaigns."""

    kind: HealthKind
    fought: int
    wrong: int


class Revocation(Value):
    """A submission found out later."""

    seq: int
    submission_id: int
    agent: str
    reason: str
    revoked_s: float


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    LOST = "lost"

    def may_become(self, other: "JobState") -> bool:
        """Whether a job may move from this state to the other."""
        return other in _NEXT_JOB[self]


_ENDS = {JobState.DONE, JobState.CANCELLED, JobState.LOST}
_NEXT_JOB: dict[JobState, set[JobState]] = {
    JobState.QUEUED: {JobState.RUNNING} | _ENDS,
    JobState.RUNNING: {JobState.QUEUED} | _ENDS,
    JobState.DONE: set(),
    JobState.CANCELLED: set(),
    JobState.LOST: set(),
}


class Job(Value):
    """Work that the server owns: it outlives the call that asked for it."""

    id: str
    kind: Literal["verify", "benchmark"]
    submission_id: int
    claim_id: str
    state: JobState
    attempts: int
    reason: str = ""
    """Why it was cancelled or lost."""
    created_s: float
    finished_s: float | None = None


class Token(Value):
    """A named right to use the server; its secret is shown once and kept as a hash only."""

    name: str
    created_s: float
    revoked_s: float | None = None
