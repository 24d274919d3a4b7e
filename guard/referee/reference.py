"""Run a definition's reference, and say what the outputs of a call should be.

The reference is trusted: it comes with the problem, never from a candidate. It must never run in
a runner, and no expected value may leave this process.

    Definition  ->  Reference;  Reference × arguments × Tolerance  ->  Expected

Start at `expected`. Not here: drawing the arguments (`inputs`), comparing (`compare`).
"""

import linecache
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, Literal

import torch
from torch import Tensor

from guard.domain.problem import Definition, TensorSpec, Tolerance, concrete_shape
from guard.referee.compare import compare, count_nonfinite
from guard.referee.float64 import Argument, InFloat64, widen
from guard.verify import judge

Source = Literal["float64", "reference"]
FILENAME = "<reference>"
SURE = 3
"""Draws that must agree on which run decides before the question is skipped."""
LISTED = "listed"
"""The input class that the problem's format describes."""

# What foreign source may raise when it is wrong. A torch out-of-memory is a RuntimeError.
FOREIGN_ERRORS = (
    ArithmeticError, AssertionError, AttributeError, BufferError, EOFError, ImportError,
    LookupError, MemoryError, NameError, OSError, RuntimeError, StopIteration, SyntaxError,
    TypeError, ValueError,
)  # fmt: skip


class ReferenceFailed(RuntimeError):
    """The reference, its inputs or its outputs are unusable: the problem's fault.

    Becomes an `INVALID_REFERENCE` evaluation, so it is no `KernelArcError`.
    """


@dataclass(frozen=True)
class Expected:
    """What the outputs of one call should be."""

    tensors: tuple[Tensor, ...]
    """In the definition's order; floating ones are float64 when `source` says so."""
    source: Source
    """Which run decides."""


class Reference:
    """A definition's reference module, loaded once per process."""

    def __init__(self, definition: Definition) -> None:
        """Execute the module.

        Raises:
            ReferenceFailed: it raised.
        """
        self.definition = definition
        self._module = _execute(definition.reference)
        self._told: dict[str, list[Source]] = {}

    @property
    def custom(self) -> Callable[..., Any] | None:
        """The definition's own generator of inputs, if it names one."""
        entry = self.definition.custom_inputs_entrypoint
        return getattr(self._module, entry) if entry else None

    def decided_by(self, workload: str) -> Source | None:
        """Which run decides on this workload's listed inputs, once enough draws have agreed."""
        told = self._told.get(workload, [])
        return told[0] if len(told) >= SURE and len(set(told)) == 1 else None

    def note(self, workload: str, source: Source) -> None:
        """Remember which run decided on listed inputs."""
        told = self._told.setdefault(workload, [])
        if len(told) < SURE:
            told.append(source)

    def run(self, arguments: Sequence[Argument], sizes: Mapping[str, int]) -> tuple[Tensor, ...]:
        """The outputs as the reference computes them, checked against the definition.

        Raises:
            ReferenceFailed: it raised, changed an input, or returned something undeclared.
        """
        versions = [a._version if isinstance(a, Tensor) else 0 for a in arguments]
        outputs = self._outputs(arguments, _device(arguments))
        for name, argument, version in zip(
            self.definition.inputs, arguments, versions, strict=True
        ):
            if isinstance(argument, Tensor) and argument._version != version:
                raise ReferenceFailed(f"the reference changes its input {name!r}")
        for (name, spec), output in zip(self.definition.outputs.items(), outputs, strict=True):
            _check_output(name, spec, output, sizes)
        return _unaliased(outputs, arguments)

    def run64(self, arguments: Sequence[Argument], sizes: Mapping[str, int]) -> tuple[Tensor, ...]:
        """The outputs with every floating input and every conversion inside in float64.

        Raises:
            ReferenceFailed: the reference cannot run that way.
        """
        default = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            wide = [widen(argument) for argument in arguments]
            with InFloat64():
                outputs = self._outputs(wide, _device(arguments))
        except torch.OutOfMemoryError as error:
            raise ReferenceFailed("there is no memory for a float64 run") from error
        finally:
            torch.set_default_dtype(default)
        for (name, spec), output in zip(self.definition.outputs.items(), outputs, strict=True):
            _check_shape(name, spec, output, sizes)
        return _unaliased(outputs, arguments)

    def _outputs(self, arguments: Sequence[Argument], device: torch.device) -> list[Tensor]:
        try:
            with torch.no_grad():
                returned = self._module.run(*arguments)
        except FOREIGN_ERRORS as error:
            raised = type(error).__name__
            raise ReferenceFailed(f"the reference raised {raised}: {error}") from error
        return _in_order(returned, self.definition.outputs, device)


def load_reference(definition: Definition) -> Reference:
    """The definition's reference, the same one for as long as it is among those last asked for.

    Raises:
        ReferenceFailed: it raised when it was executed.
    """
    return _loaded(definition.model_dump_json())


@lru_cache(maxsize=8)
def _loaded(definition: str) -> Reference:
    return Reference(Definition.model_validate_json(definition))


def expected(
    reference: Reference,
    arguments: Sequence[Argument],
    sizes: Mapping[str, int],
    tolerance: Tolerance,
    *,
    input_class: str = LISTED,
    source: Source | None = None,
) -> Expected | None:
    """What the outputs should be on these arguments, or None: this class is not admitted here.

    Where the reference's own outputs pass the tolerance against its float64 run, the float64 run
    decides. Otherwise the reference as written decides for class `listed`; another class, which
    its author never meant, is admitted only where the reference passes half the tolerance.

    `source` is what an earlier call on this workload and class said: giving it skips the question
    and halves the work.

    Raises:
        ReferenceFailed: for class `listed`: it cannot run, or is not finite where it should be.
    """
    if source == "float64":
        return Expected(reference.run64(arguments, sizes), source)
    try:
        written = reference.run(arguments, sizes)
        _check_finite(reference.definition, written, tolerance)
    except ReferenceFailed:
        if input_class == LISTED:
            raise
        return None
    if source == "reference":
        return Expected(written, source)
    asked = tolerance if input_class == LISTED else _halved(tolerance)
    exact = _agreeing_float64(reference, arguments, sizes, written, asked)
    if exact is not None:
        return Expected(exact, "float64")
    return Expected(written, "reference") if input_class == LISTED else None


def _agreeing_float64(
    reference: Reference,
    arguments: Sequence[Argument],
    sizes: Mapping[str, int],
    written: tuple[Tensor, ...],
    tolerance: Tolerance,
) -> tuple[Tensor, ...] | None:
    try:
        exact = reference.run64(arguments, sizes)
    except ReferenceFailed:
        return None
    compared = [
        compare(name, mine, wide, tolerance)
        for name, mine, wide in zip(reference.definition.outputs, written, exact, strict=True)
    ]
    return exact if judge(compared, tolerance).verdict == "correct" else None


def _halved(tolerance: Tolerance) -> Tolerance:
    half = {"max_atol": tolerance.max_atol / 2, "max_rtol": tolerance.max_rtol / 2}
    return tolerance.model_copy(update=half)


def _execute(source: str) -> types.ModuleType:
    name = f"reference_{sha256(source.encode()).hexdigest()[:12]}"
    module = types.ModuleType(name)
    module.__file__ = FILENAME
    # Triton and dataclasses look a function's source and module up by name.
    sys.modules[name] = module
    linecache.cache[FILENAME] = (len(source), None, source.splitlines(keepends=True), FILENAME)
    try:
        exec(compile(source, FILENAME, "exec"), module.__dict__)
    except FOREIGN_ERRORS as error:
        raise ReferenceFailed(
            f"the reference raised {type(error).__name__} when loaded: {error}"
        ) from error
    return module


def _device(arguments: Sequence[Argument]) -> torch.device:
    found = next((a.device for a in arguments if isinstance(a, Tensor)), None)
    return found or torch.device("cpu")


def _in_order(
    returned: Any, outputs: Mapping[str, TensorSpec], device: torch.device
) -> list[Tensor]:
    if isinstance(returned, Mapping):
        missing = [name for name in outputs if name not in returned]
        if missing:
            raise ReferenceFailed(f"the reference returns no {missing[0]!r}")
        values = [returned[name] for name in outputs]
    else:
        values = list(returned) if isinstance(returned, tuple | list) else [returned]
    if len(values) != len(outputs):
        raise ReferenceFailed(
            f"the reference returns {len(values)} values for {len(outputs)} outputs"
        )
    return [
        _as_tensor(name, spec, value, device)
        for (name, spec), value in zip(outputs.items(), values, strict=True)
    ]


def _as_tensor(name: str, spec: TensorSpec, value: Any, device: torch.device) -> Tensor:
    if isinstance(value, Tensor):
        return value.to(device)
    if isinstance(value, bool | int | float):
        return torch.tensor(value, dtype=torch_dtype(spec.dtype), device=device)
    raise ReferenceFailed(f"output {name!r} is a {type(value).__name__}, not a tensor")


def torch_dtype(name: str) -> torch.dtype:
    """The torch dtype of a definition's dtype."""
    found = getattr(torch, "float4_e2m1fn_x2" if name == "float4_e2m1" else name)
    if not isinstance(found, torch.dtype):
        raise TypeError(f"{name!r} is not a dtype")
    return found


def _check_shape(name: str, spec: TensorSpec, output: Tensor, sizes: Mapping[str, int]) -> None:
    shape = concrete_shape(spec, sizes)
    if tuple(output.shape) != shape:
        raise ReferenceFailed(
            f"output {name!r} has shape {tuple(output.shape)}, the definition says {shape}"
        )


def _check_output(name: str, spec: TensorSpec, output: Tensor, sizes: Mapping[str, int]) -> None:
    _check_shape(name, spec, output, sizes)
    if output.dtype != torch_dtype(spec.dtype):
        raise ReferenceFailed(
            f"output {name!r} has dtype {output.dtype}, the definition says {spec.dtype}"
        )


def _check_finite(definition: Definition, outputs: Sequence[Tensor], tolerance: Tolerance) -> None:
    for name, output in zip(definition.outputs, outputs, strict=True):
        strange = count_nonfinite(output, allow_negative_inf=tolerance.allow_negative_inf)
        if strange:
            raise ReferenceFailed(
                f"{strange:,} elements of the reference's output {name!r} are NaN or infinite"
            )


def _unaliased(outputs: Sequence[Tensor], arguments: Sequence[Argument]) -> tuple[Tensor, ...]:
    # A slot's inputs are drawn anew while its expected outputs are still needed.
    held = {a.untyped_storage().data_ptr() for a in arguments if isinstance(a, Tensor)}
    return tuple(o.clone() if o.untyped_storage().data_ptr() in held else o for o in outputs)
