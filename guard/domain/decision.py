"""The rules of a campaign (`Policy`), of one duel (`Terms`), and what they decide (`Decision`).

Start at `Policy`: every number that a decision depends on is a field with its unit.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from guard.domain.value import Finite, Value


class Retention(StrEnum):
    """Which conclusions an agent is shown; all are recorded, whatever it says."""

    NONE = "none"
    PRIVATE = "private"
    """Its own alone."""
    BOUNDED = "bounded"
    """Of everybody's the best wins and the newest traps, `kept` of each."""
    UNBOUNDED = "unbounded"


class Policy(Value):
    """All limits of one campaign, stored with it, so that it can be repeated."""

    min_gain: Annotated[Finite, Field(ge=0)] = 0.01
    """The mean over a promoted candidate's process pairs is at least this gain (a fraction)."""
    near_best: Annotated[Finite, Field(ge=0)] = 0.03
    """A correct candidate this close to the champion is accepted as a backup (a fraction)."""
    max_regression: Annotated[Finite, Field(ge=0)] = 0.02
    """No workload of a promoted candidate may clearly be slower by more than this (a fraction)."""
    suspect_speedup: Annotated[Finite, Field(gt=1)] = 50.0
    """More than this over the champion, on any workload, is too good to be true (a factor)."""
    min_grade: Annotated[int, Field(ge=0, le=3)] = 2
    """Sandbox grade that a promoted candidate's verification must have reached, at least."""
    min_pairs: Annotated[int, Field(ge=3, le=8)] = 3
    """Fresh process pairs before a candidate may be promoted."""
    max_pairs: Annotated[int, Field(ge=3, le=8)] = 8
    """Process pairs after which an open question is *inconclusive*."""
    confirm_pairs: Annotated[int, Field(ge=1, le=8)] = 2
    """Fresh pairs against the baseline, after a promotion was decided: its reported speedup."""
    test_gain: Annotated[Finite, Field(gt=0)] = 0.02
    """The least gain that the sequential test weighs against none (a fraction)."""
    test_spreads: tuple[Annotated[Finite, Field(gt=0)], ...] = (2.0, 4.0)
    """Larger gains that it weighs with the same right, where they exceed `test_gain` (sigmas)."""
    step_limit: Annotated[Finite, Field(gt=0)] = 4.0
    """What one process pair may add to the evidence, at most, either way (nats)."""
    reject_odds: Annotated[Finite, Field(gt=0, lt=1)] = 0.05
    """The likelihood ratio of a gain at which the test finds none (a factor)."""
    alpha_budget: Annotated[Finite, Field(gt=0, lt=1)] = 0.01
    """The chance of one false promotion in all planned duels of a campaign (a fraction)."""
    planned_duels: Annotated[int, Field(ge=1)] = 300
    """Duels that share the budget evenly; each further one gets less."""
    aa_pairs: Annotated[int, Field(ge=0, le=50)] = 6
    """Process pairs of the champion against itself before a campaign's first duel, at least."""
    most_aa_pairs: Annotated[int, Field(ge=0, le=50)] = 12
    """The same at most: more than `aa_pairs` where those do not show the least sigma."""
    sigma_window: Annotated[int, Field(ge=3)] = 50
    """Newest process pairs of A/A duels that sigma rests on."""
    unknown_sigma: Annotated[Finite, Field(gt=0)] = 0.02
    """Sigma where no A/A pair could be timed (log units)."""
    aa_every: Annotated[int, Field(ge=1)] = 20
    """Decisions of a campaign after which the champion fights itself, to watch the gate."""
    planted_every: Annotated[int, Field(ge=1)] = 40
    """Decisions of a campaign after which it fights itself with a planted loss."""
    planted_loss: Annotated[Finite, Field(gt=0, le=0.5)] = 0.02
    """How much slower the planted loss is (a fraction)."""
    grand_every: Annotated[int, Field(ge=1)] = 5
    """Promotions of a campaign after which the champion fights the first one again."""
    hopeless_loss: Annotated[Finite, Field(ge=0)] = 0.10
    """A candidate slower by more than this is not timed in further pairs (a fraction)."""
    screened_workloads: Annotated[int, Field(ge=1)] = 3
    """A first process pair ends after so many workloads, drawn by lot, where each is that much
    slower."""
    turns: Annotated[int, Field(ge=2, le=32)] = 2
    """A B B A rounds per workload in a process pair."""
    clock_apart: Annotated[Finite, Field(ge=0)] = 0.01
    """A turn does not count where the sides saw clocks further apart than this (a fraction)."""
    clock_repeats: Annotated[int, Field(ge=0, le=32)] = 4
    """Such turns that are timed once more, per workload in a process pair, at most."""
    stranger_wait_s: Annotated[Finite, Field(ge=0)] = 30.0
    """How long a duel waits for other processes to leave the device before it begins, seconds."""
    audit_slack_ms: Annotated[Finite, Field(ge=0)] = 0.0006
    """How much of a call's gain may be missing in audit blocks of recorded calls, milliseconds."""
    host_audit_slack_ms: Annotated[Finite, Field(ge=0)] = 0.005
    """The same where calls are made one by one from the host, milliseconds."""
    audit_slack: Annotated[Finite, Field(ge=0)] = 0.05
    """The same as a share of the champion's time, which comes on top (a fraction)."""
    audit_resolution: Annotated[Finite, Field(ge=0)] = 0.25
    """Gains count only where both slacks together are at most this share of the champion's time."""
    sigma_floor: Annotated[Finite, Field(gt=0)] = 0.004
    """Smallest standard deviation of a pair's log-ratio that is believed (log units)."""
    block_ms: Annotated[Finite, Field(gt=0)] = 8.0
    """Length aimed at for the long block where calls are recorded, milliseconds."""
    host_block_ms: Annotated[Finite, Field(gt=0)] = 2.0
    """The same where calls are made one by one from the host, milliseconds."""
    max_slots: Annotated[int, Field(ge=2)] = 2048
    """Distinct slots in one block, at most."""
    slot_bytes: Annotated[int, Field(ge=1)] = 32 * 2**30
    """Device memory for one side's slots, at most; the device may offer less. Bytes."""
    compile_limit_s: Annotated[Finite, Field(gt=0)] = 120.0
    """Compiling one solution, seconds."""
    load_limit_s: Annotated[Finite, Field(gt=0)] = 60.0
    """Loading a compiled solution in a fresh runner, seconds."""
    first_call_limit_s: Annotated[Finite, Field(gt=0)] = 60.0
    """The first call in a fresh process of a language that compiles at the first call, seconds."""
    call_limit_s: Annotated[Finite, Field(gt=0)] = 8.0
    """Any other call, and any block of calls, seconds."""
    memory_bytes: Annotated[int, Field(ge=1)] = 8 * 2**30
    """Host memory of one runner beyond what it inherits, bytes."""
    file_bytes: Annotated[int, Field(ge=1)] = 512 * 2**20
    """All files that one runner may write, bytes."""
    processes: Annotated[int, Field(ge=1)] = 256
    """Processes and threads of one runner."""
    lease_s: Annotated[Finite, Field(gt=0)] = 900.0
    """How long a claim lives without a call of its holder or a running job, seconds."""
    nudge_after: Annotated[int, Field(ge=1)] = 3
    """Candidates in a row without progress before an agent is shown traps and untried ideas."""
    drafting_after: Annotated[int, Field(ge=1)] = 5
    """Candidates in a row without progress after which the next must be a different idea."""
    lane_after: Annotated[int, Field(ge=1)] = 8
    """Candidates in a row without progress after which a claim ends, and another lane is next."""
    ceiling_lanes: Annotated[int, Field(ge=1)] = 3
    """Claims of one agent that ended so under one champion before it is told to stop."""
    ceiling_fraction: Annotated[Finite, Field(gt=0)] = 0.9
    """Nobody is forced where the champion reaches this much of the bound (a fraction)."""
    cooldown: Annotated[int, Field(ge=0)] = 2
    """Candidates after a claim's own promotion that do not count."""
    trend_credit: Annotated[int, Field(ge=0)] = 2
    """Candidates that do not count, at most, while each is faster than the one before it."""
    drafting_last: Annotated[int, Field(ge=1)] = 5
    """Newest benchmarked candidates of a claim that the next must differ from in drafting."""
    drafting_distance: Annotated[Finite, Field(ge=0, le=1)] = 0.16
    """In drafting, what is closer to an earlier candidate than this is refused (a fraction)."""
    machine_distance: Annotated[Finite, Field(ge=0, le=1)] = 0.02
    """The same for the instructions that were made of it (a fraction)."""
    own_gain: Annotated[Finite, Field(ge=0)] = 0.01
    """Beating this claim's own best by this much is progress, or a trend's step (a fraction)."""
    off_strategy_nudge: Annotated[int, Field(ge=1)] = 2
    """Consecutive benchmarked candidates off the strategy before its agent is told to claim
    what it really does."""
    off_strategy_limit: Annotated[int, Field(ge=1)] = 3
    """The benchmark that would be this many in a row off the strategy is refused."""
    max_candidates: Annotated[int, Field(ge=1)] | None = None
    """Candidates handed in before the campaign is stopped; none: without such a limit."""
    max_device_s: Annotated[Finite, Field(gt=0)] | None = None
    """Device time of all its orders, the house's own included, before it is stopped, seconds."""
    max_wall_s: Annotated[Finite, Field(gt=0)] | None = None
    """Time since its start, pauses left out, before it is stopped, seconds."""
    max_bound_fraction: Annotated[Finite, Field(gt=0)] | None = None
    """It is stopped where the champion reaches this much of the bound (a fraction)."""
    retention: Retention = Retention.UNBOUNDED
    """Which conclusions agents are shown."""
    kept: Annotated[int, Field(ge=1, le=1000)] = 16
    """Wins, and as many traps, that bounded retention shows."""
    explore_lanes: Annotated[int, Field(ge=1)] = 4
    """Lanes in which something was benchmarked before a problem is refined, where so many apply."""
    refine_candidates: Annotated[int, Field(ge=0)] = 3
    """Benchmarked candidates before an agent may exchange a claim that it got to refine."""
    refine_attempts: Annotated[int, Field(ge=1)] = 8
    """Candidates handed in after which it may, however few of them were benchmarked."""
    refine_width: Annotated[Finite, Field(ge=0)] = 0.05
    """How much more a candidate is hoped to gain of a strategy that was hardly tried, and how much
    less where one sibling is on its lane (log units)."""
    combine_gain: Annotated[Finite, Field(ge=0)] = 0.02
    """How much faster than the baseline each of two wins is that are combined (a fraction)."""
    combine_most: Annotated[int, Field(ge=2)] = 4
    """Strategies of the catalogue that one combination may be made of."""
    frontier_lead: Annotated[Finite, Field(ge=0)] = 0.03
    """Lead over the champion by which a candidate owns a workload (a fraction)."""
    frontier_candidates: Annotated[int, Field(ge=1)] = 100
    """Fastest candidates of a campaign that may own a workload."""
    board_tokens: Annotated[int, Field(ge=100, le=1000)] = 900
    """What conclusions may take of a reading of the board, where its reader sets no budget, tokens
    of four characters."""


class Terms(Value):
    """What the test of one duel rests on besides its pairs; stored, so that it can be replayed."""

    number: Annotated[int, Field(ge=1)]
    """Which duel of the campaign it is, from 1."""
    alpha: Annotated[Finite, Field(gt=0, lt=1)]
    """The chance of a false promotion that it may spend (a fraction)."""
    sigma: Annotated[Finite, Field(gt=0)]
    """Spread of a process pair's log-ratio where nothing differs (log units)."""
    aa_pairs: Annotated[int, Field(ge=0)] = 0
    """Process pairs of A/A duels that sigma rests on."""
    aa_through: Annotated[int, Field(ge=0)] = 0
    """Number of the board's fact that holds the newest of them; 0: no board."""


class Verdict(StrEnum):
    """What the gate may say of a candidate."""

    PROMOTED = "promoted"
    ACCEPTED = "accepted"
    REVERTED = "reverted"
    SUSPECT = "suspect"
    REJECTED = "rejected"

    @property
    def believed(self) -> bool:
        """Whether the candidate's figures may be compared with others'."""
        return self not in (Verdict.SUSPECT, Verdict.REJECTED)


class Interval(Value):
    """An estimate of a speedup (a factor; above 1 is faster) with its two-sided 95 % interval."""

    estimate: Annotated[Finite, Field(gt=0)]
    low: Annotated[Finite, Field(gt=0)]
    high: Annotated[Finite, Field(gt=0)]


class Decision(Value):
    """The gate's answer with the figures it rests on."""

    verdict: Verdict
    reason: str
    """One calm sentence with the evidence."""
    over_champion: Interval | None = None
    """Speedup over the champion of that moment; none when nothing was timed."""
