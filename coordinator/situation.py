"""All that an assignment depends on, as values: what was tried, what it brought, who is where.

    Effort per strategy, Owner per workload, what siblings hold, the agent's last claim -> Situation

Nothing here reads a board: a simulation builds the same values from its own record. Start at
`Situation`. Not here: reading them from the board (`situations`), what follows (`phases`,
`diversify`).
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from guard.domain.value import Finite, Value

Count = Annotated[int, Field(ge=0)]
Factor = Annotated[Finite, Field(gt=0)]


class Phase(StrEnum):
    """How far the search on a problem is, and what a claim is handed out for."""

    EXPLORE = "explore"
    """Distinct lanes."""
    REFINE = "refine"
    """Depth where something was won."""
    COMBINE = "combine"
    """Two wins of different lanes, in one kernel."""
    PER_SHAPE = "per-shape"
    """A dispatch between candidates that each lead on other workloads."""


class Mark(Value):
    """A believed submission of a strategy, the best in some sense."""

    submission_id: int
    speedup: Factor
    """Over the baseline."""
    low: Factor
    """The lower end of its interval."""
    over_parents: Factor
    """Over the fastest of what it builds on, which is the baseline where that is nothing."""
    follows: frozenset[str] = frozenset()
    """Other strategies whose evidence it shows."""


class Effort(Value):
    """What one strategy has seen and brought in a campaign, all agents together."""

    strategy: str
    lane: str
    claims: Count = 0
    exhausted: Count = 0
    """Of these, how many ended at their plateau."""
    handed_in: Count = 0
    benchmarked: Count = 0
    measured: Count = 0
    """Benchmarked, or answered from the benchmark of an earlier candidate that is the same."""
    gain: Finite = 0.0
    """What its promotions gained over the champions of then, together (log units)."""
    best: Mark | None = None
    """The fastest; None: nothing believed was timed yet."""
    win: Mark | None = None
    """The one that gained the most over what it builds on."""


class Owner(Value):
    """Who is fastest on one workload, of all that is believed."""

    workload: str
    submission_id: int
    strategy: str
    lead: Factor = 1.0
    """How much faster than the champion it is there; 1 for the champion itself."""


class Left(Value):
    """The last claim of the agent that asks, which has ended."""

    strategy: str
    lane: str
    phase: Phase | None = None
    """What it was handed out for; none: an earlier version did."""
    parents: tuple[int, ...] = ()
    handed_in: Count = 0
    """Under this and its earlier claims on the strategy."""
    benchmarked: Count = 0
    exhausted: bool = False
    """It ended at its plateau: another lane is next."""
    sent_away: bool = False
    """It strayed, and was told to claim what it really does."""


class Situation(Value):
    """All that a choice depends on."""

    device_kind: str
    architecture: str = ""
    """As the device reports it, such as ``sm_90a``; empty: unknown, which rules nothing out."""
    families: frozenset[str] = frozenset()
    """Operator families of the problem."""
    resource: str = ""
    """What binds the champion most, as in a bound; empty: unknown."""
    reached: Annotated[Finite, Field(ge=0)] | None = None
    """How much of the bound the champion reaches; None: no bound is known."""
    champion: Count = 0
    """Its submission; 0: the baseline."""
    efforts: tuple[Effort, ...] = ()
    frontier: tuple[Owner, ...] = ()
    """One owner for each workload that the champion was timed on."""
    held: frozenset[str] = frozenset()
    """Strategies that siblings hold: never handed out."""
    expired: frozenset[str] = frozenset()
    """Strategies whose holder's lease ran out: handed out after the free ones."""
    prefer: str = ""
    """A strategy or lane that the agent wishes for, or nothing."""
    left: Left | None = None
    given_back: tuple[str, ...] = ()
    """The strategies of all claims of the agent that asks which have ended."""

    @property
    def avoid_lane(self) -> str:
        """The lane in which this agent has just reached its plateau, or nothing."""
        return self.left.lane if self.left is not None and self.left.exhausted else ""

    def effort(self, strategy: str) -> Effort | None:
        """What this strategy has seen; None: nobody claimed it."""
        return next((e for e in self.efforts if e.strategy == strategy), None)

    def efforts_in(self, lane: str) -> list[Effort]:
        """What the strategies of a lane have seen."""
        return [effort for effort in self.efforts if effort.lane == lane]

    def siblings_on(self, lane: str) -> int:
        """How many siblings are on a strategy of this lane now."""
        return sum(e.lane == lane and e.strategy in self.held for e in self.efforts)
