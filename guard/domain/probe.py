"""How a problem answers to wrong answers: what was offered, and what it was refused on.

Start at `Probe`. Not here: offering them (`guard.referee.impostors`).
"""

from guard.domain.value import Value


class Probe(Value):
    """One wrong answer, offered on one workload to see whether the problem refuses it."""

    workload: str
    impostor: str
    """What was offered, such as ``zeros`` or ``a stale answer``."""
    refused: str
    """The evidence it was refused on; empty when it passed for right."""
    required: bool = True
    """Whether it must be refused. Lost digits that stay within tolerance are no wrong answer."""


class Neighbours(Value):
    """The shapes near the listed ones that a problem allows, as tried for a problem check."""

    open_axes: tuple[str, ...] = ()
    """Axes that take other sizes than the listed ones."""
    drawn: tuple[str, ...] = ()
    """What the neighbours were like, in words; few where the reference kept failing."""
    redrawn: tuple[str, ...] = ()
    """Why draws were given up, one sentence each."""
    probes: tuple[Probe, ...] = ()
    """How they answer to wrong answers. No promotion hangs on it: one element says little."""
