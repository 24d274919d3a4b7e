"""What agents concluded, as readers see it: a win or a trap with the server's figures.

Start at `Conclusion`. Not here: which of them a reader is shown (`retention`), whether the record
bears one out (`server.conclusions`).
"""

from typing import Literal

from guard.domain.value import Value

ConclusionKind = Literal["win", "trap"]


class Measured(Value):
    """What the record said of the best cited submission when the conclusion was posted."""

    submission_id: int
    device: str
    hardware: str
    language: str
    sealed: bool
    speedups: dict[str, float] = {}
    """Over the baseline, per workload; none when it was not timed."""
    features: tuple[str, ...] = ()
    """What its machine code holds, in words of the house."""


class Conclusion(Value):
    """A win or a trap, with the figures the server filled in."""

    seq: int
    campaign_id: int
    claim_id: str
    token: str
    agent: str
    strategy: str
    lane: str
    kind: ConclusionKind
    note: str
    reflection: str
    submission_ids: tuple[int, ...]
    speedup: float | None
    """The best cited speedup over the baseline; none when nothing cited was timed."""
    measured: Measured | None = None
    """None: posted when an earlier version did not store it."""
    overturned: tuple[str, ...] = ()
    """What has since become of its evidence, so that it no longer bears it out."""
    posted_s: float
    repeats: int = 0
    """The first conclusion that told nearly the same, by its `seq`; 0: this is the first."""
    times: int = 1
    """How often nearly the same was told, of what the reader may see."""
    against: int = 0
    """A conclusion of the other kind that tells nearly the same; 0: none was there before."""

    @property
    def sound(self) -> bool:
        """Whether all that it cites still stands."""
        return not self.overturned
