"""A side: one loaded candidate with its slots, and every check of what it wrote.

    refresh + poison -> the candidate runs -> frozen -> outputs, inputs and poison checked

Start at `Side.plain_call`. Not here: timing (`clock`), the numbers behind a comparison
(`compare`).
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from guard import plugins
from guard.asks import AttachAsk, BindAsk, CallAsk, Returned
from guard.domain.decision import Policy
from guard.domain.problem import Problem
from guard.domain.solution import Solution
from guard.ports import Arena, Device, Language
from guard.processes import HostTime
from guard.referee import constants, looks
from guard.referee.compare import compare, same_bits
from guard.referee.conviction import convict
from guard.referee.court import fresh_seed
from guard.referee.decoys import Decoy
from guard.referee.inputs import InputClass
from guard.referee.poison import fresh_patterns, poison, poisoned, unmistakable
from guard.referee.preparation import Preparation
from guard.referee.reference import Expected, Reference, expected, torch_dtype
from guard.referee.returned import mapped
from guard.referee.rows import Rows, of_columns, of_tensors
from guard.referee.runners import Runner, RunnerFailed
from guard.referee.slots import Layout, Slots
from guard.referee.waiting import charged_ns
from guard.verify import Comparison, Incorrect, judge


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
        self.handicap = 0.0
        """Share of calls that it makes in the long block beyond those counted: a planted loss."""
        self.comparisons: list[Comparison] = []
        """Of the current workload, plain and timed calls alike."""
        self.slots: Slots
        self.preparation: Preparation
        self._called = False
        self._last: Expected | None = None
        """What the call before should have written: the answer of a candidate that remembers."""
        self._last_class: InputClass | None = None
        self._decoy = Decoy()
        self._planted = ""
        """The workload that the decoy belongs to."""
        self.device = device
        self._arena = arena
        self._patterns: tuple[int | None, ...] = ()
        self._returned: dict[int, list[Tensor]] = {}

    @property
    def returns(self) -> bool:
        """Whether outputs are returned."""
        return not self.solution.destination_passing_style

    def host_time(self) -> HostTime | None:
        """What the host's scheduler counted for the runner so far."""
        return self.device.host_time(self.runner.pid)

    def without_waiting(self, took_ns: int, before: HostTime | None) -> int:
        """A block's time less what the host made the runner and the referee wait for a core."""
        return charged_ns(took_ns, before, self.host_time())

    def room(self, layout: Layout) -> int:
        """How many slots of this workload fit, beside all sets that they may share."""
        return constants.room(layout, self._arena.size_bytes, self.device.name)

    def settle(self) -> None:
        """Wait until the referee's own work on the device is done."""
        self.device.synchronise()

    def check_alone(self) -> None:
        """Refuse a candidate that has other processes while its calls are timed.

        They would not be frozen with it, and their work would not be charged to it.

        Raises:
            RunnerFailed: with their number.
        """
        others = self.runner.others()
        if others:
            message = f"{len(others)} other processes of its own ran while its calls were timed"
            raise RunnerFailed("REWARD_HACK", message)

    def attach(self, limit_s: float) -> None:
        """Let the runner map the arena."""
        self.runner.ask(AttachAsk(handle=self._arena.handle()), limit_s, fds=self._arena.fds())

    def lay(
        self,
        layout: Layout,
        count: int,
        reference: Reference,
        problem: Problem,
        limit_s: float,
        seed: int,
    ) -> BindAsk:
        """Lay out `count` slots of a workload; the ask gives them to the runner.

        The seed decides on random scalars and constant inputs.
        """
        sets = constants.sets(layout.set_bytes, count, self.device.name)
        self.slots = Slots(layout, self._arena, count, reference, problem.folder, sets)
        self.slots.draw_scalars(seed)
        self.slots.draw_constants(seed)
        self.preparation = Preparation(self.device, self.runner, self.slots)
        self._returned, self._last = {}, None
        # Other shapes may compile anew.
        self._called = False
        if self._planted != layout.workload.uuid:
            self._decoy = Decoy.of_no_call(self.slots, reference, self.runner, limit_s)
            self._planted = layout.workload.uuid
        return self.slots.bind(self.solution)

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
        self.preparation.catch_up(slot, self._call_limit_s(policy))
        self.poison([slot])
        before = [tensor.clone() for tensor in slots.inputs(slot)]
        self.settle()
        answer, _ = self.runner.ask(CallAsk(slot=slot), self._call_limit_s(policy))
        self._called = True
        self.runner.freeze()
        if self.returns:
            self.found_at([slot], answer.returned)
            self.forget_patterns()
        self.runner.check_bait()
        self._decoy.check(self.outputs(slot))
        self._check_unchanged(slot, before)
        try:
            self.check(slot, right, f"a plain call, {input_class} inputs")
        except WrongOutput as wrong:
            alike = input_class is self._last_class
            convict(self, slot, wrong.outcome, self._last, alike=alike)
            raise
        self._last, self._last_class = right, input_class
        return True

    @property
    def may_compile(self) -> bool:
        """Whether its next call is the first of this binding, in which its language may compile."""
        language: Language = plugins.load("languages")[self.solution.language]
        return language.compiles_at_call and not self._called

    def _call_limit_s(self, policy: Policy) -> float:
        return policy.first_call_limit_s if self.may_compile else policy.call_limit_s

    def right(
        self, slot: int, reference: Reference, input_class: InputClass = InputClass.LISTED
    ) -> Expected | None:
        """What the outputs of this slot should be."""
        layout, listed = self.slots.layout, input_class is InputClass.LISTED
        uuid, tolerance = layout.workload.uuid, layout.workload.tolerance
        arguments, sizes = self.slots.arguments(slot), layout.sizes
        source = reference.decided_by(uuid) if listed else None
        found = expected(
            reference, arguments, sizes, tolerance, input_class=input_class, source=source
        )
        if listed and found is not None:
            reference.note(uuid, found.source)
        return found

    def outputs(self, slot: int) -> list[Tensor]:
        """Where the outputs of this slot lie: in the slot, or in the runner's own memory."""
        return self._returned[slot] if self.returns else self.slots.outputs(slot)

    def poison(self, slots: Sequence[int]) -> None:
        """Fill the outputs of these consecutive slots (or of one) with patterns never used before.

        Returned tensors that are new at every call have no place to poison yet.
        """
        specs = self.slots.layout.definition.outputs.values()
        patterns = fresh_patterns([torch_dtype(s.dtype) for s in specs], self._patterns)
        self._patterns = patterns
        if not self.returns:
            placed = [self.slots.output_columns(range(slots[0], slots[-1] + 1))]
        else:
            placed = [self._returned[slot] for slot in slots if slot in self._returned]
        for outputs in placed:
            for output, pattern in zip(outputs, patterns, strict=True):
                poison(output, pattern)

    def found_at(self, slots: Sequence[int], returned: Sequence[tuple[Returned, ...]]) -> None:
        """Map the returned outputs of these slots.

        Raises:
            RunnerFailed: a wrong number, shape or dtype, or nothing lies there.
        """
        if len(returned) != len(slots):
            raise RunnerFailed("REWARD_HACK", "it did not say where its returned outputs lie")
        for slot, outputs in zip(slots, returned, strict=True):
            self._returned[slot] = mapped(self.device, self.runner.pid, self.slots.layout, outputs)

    def drop_returned(self) -> None:
        """Returned tensors that are new at every call lie nowhere yet."""
        self._returned = {}

    def forget_patterns(self) -> None:
        """The outputs were not poisoned: they did not exist before the calls."""
        self._patterns = (None,) * len(self._patterns)

    def unwritten(self, slots: Sequence[int]) -> int:
        """How many elements of these slots still hold the poison, where that is unmistakable.

        An integer may hold any bit pattern by right, and there are few NaNs of 8 bits: only a full
        comparison tells there. A bool's poison is neither true nor false.
        """
        if all(pattern is None for pattern in self._patterns):
            return 0
        left = [
            found
            if (found := looks.left(rows.matrix, pattern)) is not None
            else poisoned(rows.matrix, pattern)
            for rows in self.written(slots)
            if (pattern := self._patterns[rows.tensor]) is not None
            and unmistakable(rows.matrix.dtype)
        ]
        return int(torch.stack(left).sum()) if left else 0

    def written(self, slots: Sequence[int]) -> Iterator[Rows]:
        """The outputs of these slots, which are consecutive where they are written in place."""
        if self.returns:
            return of_tensors([self._returned[slot] for slot in slots])
        return of_columns(self.slots.output_columns(slots))

    def elements(self, slots: Sequence[int]) -> int:
        """Of all outputs of these slots."""
        return len(slots) * sum(output.numel() for output in self.outputs(slots[0]))

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
        names = self.slots.layout.definition.varying_tensors
        found = zip(names, self.slots.inputs(slot), before, strict=True)
        changed = [name for name, now, then in found if not same_bits(now, then)]
        if changed:
            message = f"input {changed[0]!r} was changed; inputs must stay as they are"
            raise RunnerFailed("REWARD_HACK", message)
        self.preparation.check_unchanged()
