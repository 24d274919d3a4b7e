"""What a device plug-in gives for one side's slots: memory that a referee shares with a runner.

Start at `Arena`. Not here: what lies where in it (`guard.referee.slots`).
"""

from typing import Any, Protocol


class Arena(Protocol):
    """One side's slot memory on a device, shared with one runner."""

    size_bytes: int

    def handle(self) -> dict[str, Any]:
        """The fixed message by which a runner attaches (JSON values; file descriptors apart)."""
        ...

    def fds(self) -> tuple[int, ...]:
        """File descriptors that travel with the handle."""
        ...

    def tensor(self, offset: int, shape: tuple[int, ...], dtype: str) -> Any:
        """A torch tensor over the arena's bytes."""
        ...

    def close(self) -> None:
        """Release the memory."""
        ...
