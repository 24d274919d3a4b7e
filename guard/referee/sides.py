"""A side: one loaded candidate with its slots, and every check of what it wrote.

    refresh + poison -> the candidate runs -> frozen -> outputs, inputs and poison checked

Start at `Side.plain_call`. Not here: timing (`clock`), the numbers behind a comparison
(`compare`).
"""

import secrets
import time
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from guard import plugins
from guard.asks import AttachAsk, CallAsk, Returned
from guard.domain.decision import Policy
from guard.domain.problem import Problem, concrete_shape
from guard.domain.solution import Solution
from guard.ports import Arena, Device, HostTime, Language
from guard.referee.compare import compare, draw_pattern, poison, poisoned
from guard.referee.court import fresh_seed
from guard.referee.inputs import InputClass
from guard.referee.reference import Expected, Reference, expected, torch_dtype
from guard.referee.runners import Runner, RunnerFailed
from guard.referee.slots import Layout, Slots
from guard.verify import Comparison, Correct, Finding, Incorrect, judge

# Less waiting than this share of a block is not worth a look at all processes.
WAITING_SHARE = 0.02
# How long a candidate whose outputs are incomplete is watched for late writing, seconds.
LATE_S = 0.05


class WrongOutput(Exception):
    """A call gave a wrong output; carries the judged outcome."""

    def __init__(self, outcome: Incorrect) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


class SideFailed(Exception):
    """One of the sides being timed failed; `cause` is its `RunnerFailed` or `WrongOutput`."""

    def __init__(self, side: "Side", cause: RunnerFailed | WrongOutput) -> None:
        super().__init__(str(cause))
        self.side = side
        self.cause = cause


class Side:
    """One candidate in its runner, bound to slots of the current workload."""

    def __init__(self, device: Device, solution: Solution, runner: Runner, arena: Arena) -> None:
        self.solution = solution
        self.runner = runner
        self.comparisons: list[Comparison] = []
        """Of the current workload, plain and timed calls alike."""
        self.slots: Slots
        self._called = False
        self._last: Expected | None = None
        """What the call before should have written: the answer of a candidate that remembers."""
        self._device = device
        self._arena = arena
        self._patterns: tuple[int | None, ...] = ()
        self._returned: dict[int, list[Tensor]] = {}

    @property
    def returns(self) -> bool:
        """Whether outputs are returned instead of written where they were passed."""
        return not self.solution.destination_passing_style

    def host_time(self) -> HostTime | None:
        """What the host's scheduler counted for the runner so far."""
        return self._device.host_time(self.runner.pid)

    def without_waiting(self, took_ns: int, before: HostTime | None) -> int:
        """A block's time less what the host made the runner and the referee wait for a core.

        Never less than the processor time that the runner used, and nothing is taken off while
        it has other processes: their work would look like waiting.
        """
        after = self.host_time()
        if before is None or after is None:
            return took_ns
        waited_ns = after.waited_ns - before.waited_ns
        if waited_ns > WAITING_SHARE * took_ns and self._device.has_children(self.runner.pid):
            return took_ns
        return max(took_ns - waited_ns, after.used_ns - before.used_ns)

    def attach(self, limit_s: float) -> None:
        """Let the runner map the arena."""
        self.runner.ask(AttachAsk(handle=self._arena.handle()), limit_s, fds=self._arena.fds())

    def bind(
        self, layout: Layout, count: int, reference: Reference, problem: Problem, limit_s: float
    ) -> None:
        """Give the runner `count` slots of a workload."""
        self.slots = Slots(layout, self._arena, count, reference, problem.folder)
        # One draw gives the scalars, which are bound with the slots.
        self.slots.refresh([0], fresh_seed())
        self._returned = {}
        self._last = None
        # Other shapes may compile anew.
        self._called = False
        self.runner.thaw()
        self.runner.ask(self.slots.bind(self.solution), limit_s)

    def plain_call(
        self, slot: int, reference: Reference, policy: Policy, input_class: InputClass
    ) -> bool:
        """One plain call on fresh inputs, checked in full; False when the class is not admitted.

        Raises:
            RunnerFailed, WrongOutput: what the candidate did instead.
        """
        slots = self.slots
        slots.refresh([slot], fresh_seed(), input_class)
        right = self.right(slot, reference, input_class)
        if right is None:
            return False
        self.poison([slot])
        before = [tensor.clone() for tensor in slots.inputs(slot)]
        self.runner.thaw()
        answer, _ = self.runner.ask(CallAsk(slot=slot), self._call_limit_s(policy))
        self._called = True
        self.runner.freeze()
        if self.returns:
            self.found_at([slot], answer.returned)
            self.forget_patterns()
        self._check_unchanged(slot, before)
        try:
            self.check(slot, right, f"a plain call, {input_class} inputs")
        except WrongOutput as wrong:
            self._convict(slot, wrong)
            raise
        self._last = right
        return True

    def _call_limit_s(self, policy: Policy) -> float:
        language: Language = plugins.load("languages")[self.solution.language]
        first = language.compiles_at_call and not self._called
        return policy.first_call_limit_s if first else policy.call_limit_s

    def _convict(self, slot: int, wrong: WrongOutput) -> None:
        """Tell a trick from a mistake, where the outputs themselves show it.

        Raises:
            RunnerFailed: REWARD_HACK with the evidence.
        """
        evidence = ""
        if wrong.outcome.finding is Finding.NOT_WRITTEN:
            left = self.unwritten([slot])
            self.runner.thaw()
            time.sleep(LATE_S)
            self.runner.freeze()
            if self.unwritten([slot]) < left:
                evidence = "it wrote outputs after it had said that the call was done"
            elif self._last is not None:
                evidence = "an earlier call was right, but this one left outputs unwritten"
        elif self._last is not None and self._holds(slot, self._last):
            evidence = "the outputs are those of the call before, for other inputs"
        if evidence:
            raise RunnerFailed("REWARD_HACK", f"{evidence}. {wrong.outcome.reason}") from wrong

    def _holds(self, slot: int, answer: Expected) -> bool:
        definition, tolerance = self.slots.layout.definition, self.slots.layout.workload.tolerance
        found = [
            compare(name, output, wanted, tolerance)
            for name, output, wanted in zip(
                definition.outputs, self.outputs(slot), answer.tensors, strict=True
            )
        ]
        return isinstance(judge(found, tolerance), Correct)

    def right(
        self, slot: int, reference: Reference, input_class: InputClass = InputClass.LISTED
    ) -> Expected | None:
        """What the outputs of this slot should be."""
        layout = self.slots.layout
        return expected(
            reference,
            self.slots.arguments(slot),
            layout.sizes,
            layout.workload.tolerance,
            input_class=input_class,
        )

    def outputs(self, slot: int) -> list[Tensor]:
        """Where the outputs of this slot lie: in the slot, or in the runner's own memory."""
        return self._returned[slot] if self.returns else self.slots.outputs(slot)

    def poison(self, slots: Iterable[int]) -> None:
        """Fill the outputs of these slots with patterns never used before.

        Returned tensors that are new at every call have no place to poison yet.
        """
        specs = self.slots.layout.definition.outputs.values()
        patterns = [draw_pattern(torch_dtype(s.dtype), secrets.randbits) for s in specs]
        self._patterns = tuple(patterns)
        for slot in slots:
            if self.returns and slot not in self._returned:
                continue
            for output, pattern in zip(self.outputs(slot), patterns, strict=True):
                poison(output, pattern)

    def found_at(self, slots: Sequence[int], returned: Sequence[tuple[Returned, ...]]) -> None:
        """Map the returned outputs of these slots.

        Raises:
            RunnerFailed: a wrong number, shape or dtype, or nothing lies there.
        """
        if len(returned) != len(slots):
            raise RunnerFailed("REWARD_HACK", "it did not say where its returned outputs lie")
        for slot, outputs in zip(slots, returned, strict=True):
            self._check_declared(outputs)
            try:
                self._returned[slot] = [self._borrow(one) for one in outputs]
            except ValueError as error:
                message = f"a returned tensor cannot be read: {error}"
                raise RunnerFailed("RUNTIME_ERROR", message) from error

    def drop_returned(self) -> None:
        """Returned tensors that are new at every call lie nowhere yet."""
        self._returned = {}

    def forget_patterns(self) -> None:
        """The outputs were not poisoned: they did not exist before the calls."""
        self._patterns = (None,) * len(self._patterns)

    def unwritten(self, slots: Iterable[int]) -> int:
        """How many elements of these slots still hold the poison, where that is unmistakable.

        An integer output may hold any bit pattern by right: only a full comparison tells there.
        """
        left = [
            poisoned(output, pattern)
            for slot in slots
            for output, pattern in zip(self.outputs(slot), self._patterns, strict=True)
            if pattern is not None and output.is_floating_point() and output.dtype.itemsize > 1
        ]
        return int(torch.stack(left).sum()) if left else 0

    def check(self, slot: int, right: Expected, label: str) -> None:
        """Compare every element of this slot's outputs.

        Raises:
            WrongOutput: not within the workload's tolerance.
        """
        definition, tolerance = self.slots.layout.definition, self.slots.layout.workload.tolerance
        found = [
            compare(name, output, wanted, tolerance, pattern=pattern, call=label)
            for name, output, wanted, pattern in zip(
                definition.outputs, self.outputs(slot), right.tensors, self._patterns, strict=True
            )
        ]
        outcome = judge(found, tolerance)
        if isinstance(outcome, Incorrect):
            raise WrongOutput(outcome)
        self.comparisons += found

    def _check_unchanged(self, slot: int, before: Sequence[Tensor]) -> None:
        inputs = self.slots.layout.definition.inputs
        names = [name for name, spec in inputs.items() if spec.shape is not None]
        for name, now, then in zip(names, self.slots.inputs(slot), before, strict=True):
            if not same_bits(now, then):
                raise RunnerFailed(
                    "REWARD_HACK", f"input {name!r} was changed; inputs must stay as they are"
                )

    def _check_declared(self, outputs: Sequence[Returned]) -> None:
        definition, sizes = self.slots.layout.definition, self.slots.layout.sizes
        if len(outputs) != len(definition.outputs):
            raise RunnerFailed("INCORRECT_SHAPE", f"{len(outputs)} outputs were returned")
        for (name, spec), one in zip(definition.outputs.items(), outputs, strict=True):
            shape = concrete_shape(spec, sizes)
            if one.shape != shape:
                message = f"output {name!r} has shape {list(one.shape)}, not {list(shape)}"
                raise RunnerFailed("INCORRECT_SHAPE", message)
            if getattr(torch, one.dtype, None) is not torch_dtype(spec.dtype):
                message = f"output {name!r} is {one.dtype}, not {spec.dtype}"
                raise RunnerFailed("INCORRECT_DTYPE", message)

    def _borrow(self, one: Returned) -> Any:
        return self._device.borrow(self.runner.pid, one)


def same_bits(a: Tensor, b: Tensor) -> bool:
    """Bitwise equality: NaN equals itself."""
    # Eight bytes at a time where the size allows: torch compares element by element.
    word = torch.int64 if a.numel() * a.itemsize % 8 == 0 else torch.uint8
    return bool(torch.equal(a.reshape(-1).view(word), b.reshape(-1).view(word)))
