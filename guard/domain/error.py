"""What every error of the house has: a code, a message, what to do next, and who could avoid it.

Start at `KernelArcError`. Not here: the errors themselves (`errors`).
"""

from guard.domain.spent import Spent


class KernelArcError(Exception):
    """Anything that the house reports in its own words."""

    retryable = False
    retry_after_s = 0.0
    hint = ""  # what to do next: a class's own, or given with the message
    spent = Spent()  # what the order cost that ended so

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or self.hint

    @property
    def code(self) -> str:
        """The class's name in snake case: stable, for programs."""
        name = type(self).__name__
        return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class CallerError(KernelArcError):
    """The agent or user could have avoided it."""


class HouseError(KernelArcError):
    """The house failed; nothing is charged to the agent."""

    retryable = True
    retry_after_s = 5.0
