"""Have a candidate take in the sets of constant inputs, apart from its calls and apart timed.

    set drawn -> inputs of the next call withheld -> `PrepareAsk` -> frozen, constants unchanged?

A `prepare` never meets an input of a call, so it can do none of a call's work. How long it took is
told, and decides nothing: what it puts off into its calls is timed there, or lies outside both.

Start at `Preparation.catch_up`. Not here: the sets themselves (`constants`).
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from guard.asks import PrepareAsk
from guard.ports import Device
from guard.referee.court import fresh_seed
from guard.referee.inputs import InputClass
from guard.referee.runners import Runner, RunnerFailed
from guard.referee.slots import Slots

CHANGED = "a constant input was changed; inputs must stay as they are"


class Preparation:
    """What one runner has taken in of the sets of one binding."""

    def __init__(self, device: Device, runner: Runner, slots: Slots) -> None:
        self._device = device
        self._runner = runner
        self._slots = slots
        self._waiting = set(range(slots.constants.count))
        self._took_ms: list[float] = []

    @property
    def took_ms(self) -> float | None:
        """The median over sets by the referee's clock; None: the candidate prepares nothing."""
        return median(self._took_ms) if self._took_ms else None

    def restock(self, slot: int, input_class: InputClass) -> None:
        """Draw the constant inputs of this slot afresh, where they lay before."""
        if self._slots.constants.count:
            number = self._slots.constants.of_slot[slot]
            self._slots.draw_constants(fresh_seed(), input_class, [number])
            self._waiting.add(number)

    def catch_up(self, slot: int, limit_s: float) -> None:
        """Have every set that was drawn since taken in, without the inputs of this slot.

        Raises:
            RunnerFailed: what the candidate did instead.
        """
        if not self._waiting:
            return
        with self._withheld(slot):
            for number in sorted(self._waiting):
                self._take_in(number, limit_s)
        self._waiting = set()
        self.check_unchanged()

    def check_unchanged(self) -> None:
        """The candidate is at rest: are all constant inputs as they were drawn?

        Raises:
            RunnerFailed: REWARD_HACK.
        """
        if not self._slots.constants.unchanged():
            raise RunnerFailed("REWARD_HACK", CHANGED)

    def _take_in(self, number: int, limit_s: float) -> None:
        self._device.synchronise()
        start_ns = time.perf_counter_ns()
        answer, _ = self._runner.ask(PrepareAsk(set=number), limit_s)
        took_ns = time.perf_counter_ns() - start_ns
        self._runner.freeze()
        if answer.prepared:
            self._took_ms.append(took_ns / 1e6)

    @contextmanager
    def _withheld(self, slot: int) -> Iterator[None]:
        """In this block the slot holds nothing of the call that is to come."""
        inputs = self._slots.inputs(slot)
        held = [tensor.clone() for tensor in inputs]
        for tensor in inputs:
            tensor.zero_()
        yield
        for tensor, values in zip(inputs, held, strict=True):
            tensor.copy_(values)
