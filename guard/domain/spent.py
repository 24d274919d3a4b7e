"""What an order cost, as the referee saw it: seconds of waiting, of compiling, of the device.

Start at `Spent`; every report is an `Answered`. Not here: where it is booked (`memory`).
"""

from typing import Annotated

from pydantic import Field

from guard.domain.value import Finite, Value

Seconds = Annotated[Finite, Field(ge=0)]


class Spent(Value):
    """Where the time of an order went; no second is in two of them."""

    wait_s: Seconds = 0.0
    """In a lane's queue, or until other servers or other builders let it begin."""
    compile_s: Seconds = 0.0
    """In the compile lane: static rules, and a builder."""
    device_s: Seconds = 0.0
    """While the device was kept for it alone."""

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            wait_s=self.wait_s + other.wait_s,
            compile_s=self.compile_s + other.compile_s,
            device_s=self.device_s + other.device_s,
        )


class Answered(Value):
    """What every answer to an order says."""

    job: str
    spent: Spent = Spent()
