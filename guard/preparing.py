"""What a loaded candidate is that brings a `prepare` for the constant inputs.

Start at `Preparing`. Not here: when it is asked (`guard.runner.capture`), what a language makes of
the function (`guard.languages`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from guard.ports import Kernel


@runtime_checkable
class Preparing(Protocol):
    """A kernel that may prepare a set of constant inputs once, for all calls that use it."""

    def prepare(self, constants: Sequence[Any], axes: Mapping[str, int]) -> Kernel | None:
        """Run the candidate's `prepare`; None where it has none.

        What comes back binds calls on this set: of the inputs it takes the others alone, and
        passes what was prepared behind them, before the outputs.
        """
        ...
