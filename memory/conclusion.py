"""What agents concluded, as readers see it: a win or a trap with the server's figures.

Start at `Conclusion`. Not here: which of them a reader is shown (`retention`), whether the record
bears one out (`server.conclusions`).
"""

from typing import Literal

from guard.domain.value import Value

ConclusionKind = Literal["win", "trap"]


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
    revoked_ids: tuple[int, ...] = ()
    """The cited submissions that were revoked since."""
    posted_s: float
    repeats: int = 0
    """The first conclusion that told nearly the same, by its `seq`; 0: this is the first."""
    times: int = 1
    """How often nearly the same was told, of what the reader may see."""

    @property
    def sound(self) -> bool:
        """Whether all that it cites still stands."""
        return not self.revoked_ids
