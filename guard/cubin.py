"""A cubin in a runner: bound by its launch plan, launched by the driver.

Launches go to torch's current stream, so that a graph captures them. Must never launch on the
default stream, which a capture would miss, and never allocate during a call.

Start at `CudaKernel.bind`. The plan's arithmetic is `guard.launch`.
"""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from guard.domain.errors import MalformedSolution
from guard.domain.solution import LaunchPlan
from guard.launch import SIZE_BYTES, Argument, Launch, lay_out
from guard.ports import Call


@dataclass
class CudaKernel:
    """A cubin and its plan."""

    plan: LaunchPlan
    code: Any
    """A cuda.core ObjectCode."""
    workspaces: dict[tuple[str, int], Any] = field(default_factory=dict)
    """By name and size: the calls of all slots share them, since they run in stream order."""

    def bind(
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        axes: Mapping[str, int],
        names: Sequence[str] = (),
    ) -> Call:
        """Lay out the plan, allocate workspaces, and fix the arguments of every launch."""
        named = dict(zip(names, (*inputs, *outputs), strict=True))
        tensors = {n: v for n, v in named.items() if not isinstance(v, (bool, int, float))}
        scalars = {n: v for n, v in named.items() if n not in tensors}
        layout = lay_out(self.plan, tensors, scalars, axes)
        device = next((t.device.index for t in tensors.values()), 0)
        pointers = dict(tensors)
        for name, size in layout.workspaces.items():
            pointers[name] = self._workspace(name, size, device)
        steps = [
            _prepare(self.code, i, launch, pointers)
            for i, launch in enumerate(layout.launches)
            if not launch.is_empty
        ]
        return _call(steps, device)

    def _workspace(self, name: str, size: int, device: int) -> Any:
        if (name, size) not in self.workspaces:
            torch: Any = import_module("torch")
            # Random bytes: a kernel that counts on zeros fails at once, not some day.
            self.workspaces[name, size] = torch.randint(
                0, 256, (size,), dtype=torch.uint8, device=f"cuda:{device}"
            )
        return self.workspaces[name, size]


@dataclass(frozen=True)
class _Step:
    """One launch, ready for the driver."""

    launch: Launch
    arguments: tuple[Any, ...]
    """What cuLaunchKernel takes before the stream."""
    parameters: Any
    """The array of pointers to the parameters."""
    keep: tuple[Any, ...]
    """What those pointers point to."""


def _prepare(code: Any, index: int, launch: Launch, pointers: Mapping[str, Any]) -> _Step:
    driver: Any = import_module("cuda.bindings.driver")
    where = f"launch_plan.kernels[{index}]"
    kernel = code.get_kernel(launch.kernel)
    _check_parameters(f"{where}.arguments", kernel.arguments_info, launch.arguments)
    if launch.shared_bytes:
        # Needed above 48 KiB, static shared memory counted in; harmless below.
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        (status,) = driver.cuKernelSetAttribute(
            attribute, launch.shared_bytes, kernel.handle, driver.cuCtxGetDevice()[1]
        )
        if status != 0:
            reason = f"{launch.shared_bytes} bytes are more than this GPU offers ({status.name})"
            raise MalformedSolution(f"{where}.shared_bytes", reason)
    values = tuple(_value(argument, pointers) for argument in launch.arguments)
    parameters = (ctypes.c_void_p * max(len(values), 1))(*map(ctypes.addressof, values))
    arguments = (
        driver.CUfunction(int(kernel.handle)), *launch.grid, *launch.block, launch.shared_bytes
    )  # fmt: skip
    return _Step(launch, arguments, parameters, (values, kernel, dict(pointers)))


def _check_parameters(where: str, sizes: Sequence[Any], arguments: Sequence[Argument]) -> None:
    if len(sizes) != len(arguments):
        reason = f"the kernel takes {len(sizes)} parameters, the plan gives {len(arguments)}"
        raise MalformedSolution(where, reason)
    for i, (parameter, argument) in enumerate(zip(sizes, arguments, strict=True)):
        given = SIZE_BYTES[argument.kind]
        if parameter.size != given:
            reason = f"parameter {i} has {parameter.size} bytes, {argument.kind} has {given}"
            raise MalformedSolution(where, reason)


_C_TYPES: Mapping[str, Callable[[Any], Any]] = {
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}


def _value(argument: Argument, pointers: Mapping[str, Any]) -> Any:
    if argument.kind == "pointer":
        return ctypes.c_void_p(pointers[str(argument.value)].data_ptr())
    return _C_TYPES[argument.kind](argument.value)


def _call(steps: Sequence[_Step], device: int) -> Call:
    driver: Any = import_module("cuda.bindings.driver")
    torch: Any = import_module("torch")
    # The public torch.cuda.current_stream makes an object: 3.6 us against 0.1, measured. Triton
    # and torch's own compiler take the stream this way too.
    launch, current_stream = driver.cuLaunchKernel, torch._C._cuda_getCurrentRawStream
    ready = [(step.arguments, ctypes.addressof(step.parameters), step) for step in steps]

    def call() -> None:
        stream = current_stream(device)
        for arguments, parameters, step in ready:
            (status,) = launch(*arguments, stream, parameters, 0)
            if status != 0:
                raise _launch_failure(step.launch, status)

    return call


def _launch_failure(launch: Launch, status: Any) -> RuntimeError:
    return RuntimeError(
        f"launching {launch.kernel!r} failed: {status.name} (grid {launch.grid}, "
        f"block {launch.block}, {launch.shared_bytes} bytes of dynamic shared memory)"
    )
