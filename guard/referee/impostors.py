"""Wrong answers that a problem must refuse, or its verdict on a candidate means little.

Each impostor answers a call without doing the work, or does it one precision step too coarsely or
without the step that keeps it stable. They are compared like a candidate's outputs.

    Problem × Workload -> draws -> impostor × expected -> Probe

Start at `probe`. Not here: what follows for the problem (`guard.domain.trace.Baseline`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from guard.domain.probe import Probe
from guard.domain.problem import Problem, Workload
from guard.referee.compare import compare
from guard.referee.court import Court, fresh_seed
from guard.referee.float64 import Argument
from guard.referee.inputs import InputClass, classes
from guard.referee.one_pass import OnePass
from guard.referee.reference import Reference, expected, torch_dtype
from guard.referee.slots import Layout, Slots
from guard.verify import Incorrect, judge

LISTED_CALLS = 2
OTHER_CALLS = 24
"""Draws of each other class, at most: a single row is seldom large enough to overflow."""
LOST_DIGITS_ROUNDS = 2
"""Draws of each class after which a variant that only loses digits counts as right."""
ABSENT = "does not exist here"
BY_CONSTANTS = "an answer to other inputs with the same constants"
ONE_PASS = "a one-pass variance"
STEP_DOWN = {
    torch.float64: torch.float32,
    torch.float32: torch.bfloat16,
    torch.float16: torch.float8_e4m3fn,
    torch.bfloat16: torch.float8_e4m3fn,
}
"""The next coarser type of each declared one."""
Outputs = Sequence[Tensor]


@dataclass(frozen=True)
class Call:
    """One call that an impostor answers."""

    reference: Reference
    arguments: Sequence[Argument]
    sizes: Mapping[str, int]
    right: Outputs
    before: Outputs
    """The right answer of an earlier call, on other inputs."""
    elsewhere: Sequence[Argument]
    """Other inputs, and the same constant ones."""


def probe(court: Court, problem: Problem, workload: Workload, reference: Reference) -> list[Probe]:
    """Let every impostor answer calls on this workload until it is refused.

    An impostor that no call could be made for (there is no input of the outputs' shape, nothing
    that could be unstable) is left out.

    Raises:
        ReferenceFailed: the reference itself is unusable.
    """
    layout = Layout.of(problem.definition, workload)
    count = 2 if layout.set_bytes else 1
    arena = court.device.allocate(court.identity, count * layout.call_bytes)
    try:
        slots = Slots(layout, arena, count, reference, problem.folder)
        slots.draw_scalars(fresh_seed())
        return _answers(slots, reference)
    finally:
        arena.close()


def _answers(slots: Slots, reference: Reference) -> list[Probe]:
    layout = slots.layout
    wanted = [InputClass.LISTED] * LISTED_CALLS
    wanted += classes(layout.definition, layout.workload)[1:] * OTHER_CALLS
    before = _drawn(slots, reference, InputClass.LISTED)
    refused: dict[str, str] = {}
    open_still = set(IMPOSTORS)
    patience = LISTED_CALLS + LOST_DIGITS_ROUNDS * (len(wanted) - LISTED_CALLS) // OTHER_CALLS
    for number, input_class in enumerate(wanted):
        if number >= patience:
            open_still -= {ONE_PASS}
        right = _drawn(slots, reference, input_class) if open_still else None
        if right is None or before is None:
            continue
        arguments, elsewhere = slots.arguments(0), slots.arguments(slots.count - 1)
        call = Call(reference, arguments, layout.sizes, right, before, elsewhere)
        for name in sorted(open_still):
            answer = _answer(name, call)
            refused[name] = _refusal(slots, answer, right, input_class) if answer else ABSENT
            if refused[name]:
                open_still.remove(name)
        before = right
    uuid = layout.workload.uuid
    return [
        Probe(workload=uuid, impostor=name, refused=refused[name], required=name != ONE_PASS)
        for name in IMPOSTORS
        if refused.get(name, ABSENT) != ABSENT
    ]


def _drawn(slots: Slots, reference: Reference, input_class: InputClass) -> Outputs | None:
    layout = slots.layout
    slots.refresh(range(slots.count), fresh_seed(), input_class)
    slots.draw_constants(fresh_seed(), input_class)
    found = expected(
        reference,
        slots.arguments(0),
        layout.sizes,
        layout.workload.tolerance,
        input_class=input_class,
    )
    return None if found is None else found.tensors


def _answer(name: str, call: Call) -> Outputs | None:
    specs = call.reference.definition.outputs.values()
    try:
        answer = IMPOSTORS[name](call)
        if answer is None:
            return None
        return [o.to(torch_dtype(s.dtype)) for o, s in zip(answer, specs, strict=True)]
    except RuntimeError:
        # The reference (or torch) cannot be run that way: this impostor does not exist here.
        return None


def _refusal(slots: Slots, answer: Outputs, right: Outputs, input_class: InputClass) -> str:
    """Why this answer is wrong, or nothing."""
    definition, tolerance = slots.layout.definition, slots.layout.workload.tolerance
    compared = [
        compare(
            name,
            given.contiguous(),
            wanted,
            tolerance,
            call=f"{input_class} inputs",
        )
        for name, given, wanted in zip(definition.outputs, answer, right, strict=True)
    ]
    outcome = judge(compared, tolerance)
    return outcome.reason if isinstance(outcome, Incorrect) else ""


def _zeros(call: Call) -> Outputs:
    return [torch.zeros_like(output) for output in call.right]


def _mean(call: Call) -> Outputs:
    """Every element is the output's mean."""
    return [torch.full_like(o, _middle(o)) for o in call.right]


def _middle(output: Tensor) -> float:
    return float(output.double().nan_to_num(0.0, 0.0, 0.0).mean()) if output.numel() else 0.0


def _input(call: Call) -> Outputs | None:
    """An input that has an output's shape, handed through."""
    found = []
    for output in call.right:
        fitting = [a for a in call.arguments if isinstance(a, Tensor) and a.shape == output.shape]
        if not fitting:
            return None
        found.append(fitting[0])
    return found


def _stale(call: Call) -> Outputs:
    return call.before


def _by_constants(call: Call) -> Outputs | None:
    """What constant inputs alone tell: could it pass, it could be computed before any call."""
    if not call.reference.definition.constant_inputs:
        return None
    return call.reference.run(call.elsewhere, call.sizes)


def _coarse(call: Call) -> Outputs | None:
    """Everything of the declared type is rounded one step below."""
    outputs = call.reference.definition.outputs.values()
    declared = {torch_dtype(spec.dtype) for spec in outputs} & set(STEP_DOWN)
    if not declared:
        return None
    arguments = [_rounded(a, declared) for a in call.arguments]
    with _Altered(lambda result: _rounded(result, declared)):
        answer = call.reference.run(arguments, call.sizes)
    return [_rounded(output, declared) for output in answer]


def _rounded(value: Any, declared: set[torch.dtype]) -> Any:
    if isinstance(value, Tensor) and value.dtype in declared:
        return value.to(STEP_DOWN[value.dtype]).to(value.dtype)
    return value


def _unstable(call: Call) -> Outputs | None:
    """Without subtracting the maximum before an exponential: right for small inputs only."""
    altered = _Altered(lambda result: result, UNSTABLE)
    with altered:
        answer = call.reference.run(call.arguments, call.sizes)
    return answer if altered.used else None


def _one_pass(call: Call) -> Outputs | None:
    """Variances as E[x²] − E[x]², which lose digits far from zero: wrong beyond the tolerance."""
    altered = OnePass()
    with altered:
        answer = call.reference.run(call.arguments, call.sizes)
    return answer if altered.used else None


def _naive_softmax(x: Tensor, dim: int = -1, *_: Any, **__: Any) -> Tensor:
    powers = x.exp()
    return powers / powers.sum(dim, keepdim=True)


def _naive_log_sum(x: Tensor, dim: Any = -1, keepdim: bool = False) -> Tensor:
    return x.exp().sum(dim, keepdim=keepdim).log()


def _naive_log_softmax(x: Tensor, dim: int = -1, *_: Any, **__: Any) -> Tensor:
    return x - _naive_log_sum(x, dim, keepdim=True)


def _no_maximum(x: Tensor, dim: Any = None, keepdim: bool = False, **_: Any) -> Any:
    found = torch.amax(x, () if dim is None else dim, keepdim)
    return torch.zeros_like(found)


_F = torch.nn.functional
UNSTABLE: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys((torch.softmax, Tensor.softmax, _F.softmax), _naive_softmax),
    **dict.fromkeys((torch.log_softmax, Tensor.log_softmax, _F.log_softmax), _naive_log_softmax),
    **dict.fromkeys((torch.logsumexp, Tensor.logsumexp), _naive_log_sum),
    **dict.fromkeys((torch.amax, Tensor.amax), _no_maximum),
}
"""What is replaced by its textbook form, which overflows."""


@dataclass
class _Altered(TorchFunctionMode):
    """Runs torch code with some functions replaced and every result passed on."""

    then: Callable[[Any], Any]
    instead: Mapping[Any, Callable[..., Any]] = field(default_factory=dict)
    used: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call `func`, or what stands in for it."""
        chosen = self.instead.get(func, func)
        self.used = self.used or chosen is not func
        return self.then(chosen(*args, **(kwargs or {})))


IMPOSTORS: dict[str, Callable[[Call], Outputs | None]] = {
    "zeros": _zeros,
    "the mean": _mean,
    "an input": _input,
    "a stale answer": _stale,
    BY_CONSTANTS: _by_constants,
    "one precision step below": _coarse,
    "an unstable variant": _unstable,
    ONE_PASS: _one_pass,
}
