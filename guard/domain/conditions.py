"""What a device said of itself at one moment: its clock, power, temperature, and what slows it.

    a side's long block is over -> Conditions, in the timing of its turn

Start at `Conditions`. Not here: reading a device (`guard.nvml`), which turns count
(`guard.steadiness`).
"""

from typing import Annotated

from pydantic import Field

from guard.domain.value import Finite, Value


class Conditions(Value):
    """One reading; a device that cannot tell a figure has none."""

    sm_clock_mhz: Annotated[int, Field(ge=0)] | None = None
    """The clock of a GPU's multiprocessors, megahertz."""
    power_w: Annotated[Finite, Field(ge=0)] | None = None
    """As the driver averages it, over up to a second, watts."""
    temperature_c: int | None = None
    """Of the chip, degrees Celsius."""
    throttle_reasons: tuple[str, ...] = ()
    """What kept the clock below what the load asked for, such as ``power cap``."""


NOTHING_TOLD = Conditions()
