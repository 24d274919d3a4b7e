"""Cubins in a runner: bound by a launch plan, launched by the driver.

Launches go to torch's current stream, so that a graph captures them. Must never launch on the
default stream, which a capture would miss, and never allocate during a call.

Start at `CubinKernel.bind`. The plan's arithmetic is `guard.launch`; what a kernel allows,
`guard.cubin_limits`.
"""

import ctypes
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

from guard.cubin_limits import check_launch, check_tensors, find_kernel
from guard.launch_arguments import Scalars
from guard.launch_values import Argument, Launch, Layout
from guard.ports import Call
from guard.tensor_map_encoding import encode


@dataclass
class CubinKernel:
    """The cubins of a candidate and its plan: no code of it runs on the host."""

    lay_out: Callable[[Collection[str], Scalars, Mapping[str, int]], Layout]
    """Names of tensors × scalars × axes -> numbers."""
    codes: Mapping[str, Any]
    """cuda.core ObjectCode by the artifact's file."""
    workspaces: dict[tuple[str, int], Any] = field(default_factory=dict)
    """By name and size: the calls of all slots share them, since they run in stream order."""
    _planned: dict[object, "_Planned"] = field(default_factory=dict)
    """The last one: the slots of a workload differ in addresses alone."""

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
        key = (*names, *scalars.items(), *axes.items())
        if key not in self._planned:
            layout = self.lay_out(tensors, scalars, axes)
            self._planned = {key: _Planned(layout, self._launches(layout, tensors))}
        layout, launches = self._planned[key]
        device = next((t.device.index for t in tensors.values()), 0)
        pointers = dict(tensors)
        for name, size in layout.workspaces.items():
            pointers[name] = self._workspace(name, size, device)
        maps = {
            name: encode(each, pointers[each.tensor].data_ptr(), pointers[each.tensor].nbytes)
            for name, each in layout.tensor_maps.items()
        }
        steps = [_step(*one, pointers, maps) for one in launches]
        return _call(steps, [pointers[name] for name in layout.zeroed], device)

    def _launches(self, layout: Layout, tensors: Mapping[str, Any]) -> list["_Checked"]:
        checked = []
        for launch in layout.launches:
            check_tensors(launch, tensors, tuple(layout.workspaces))
            if not launch.is_empty:
                checked.append(_checked(self.codes[launch.cubin], launch))
        return checked

    def _workspace(self, name: str, size: int, device: int) -> Any:
        if (name, size) not in self.workspaces:
            torch: Any = import_module("torch")
            # Random bytes: a kernel that counts on zeros fails at once, not some day.
            self.workspaces[name, size] = torch.randint(
                0, 256, (size,), dtype=torch.uint8, device=f"cuda:{device}"
            )
        return self.workspaces[name, size]


class _Checked(NamedTuple):
    """One launch of a plan, held against what its kernel allows."""

    launch: Launch
    kernel: Any
    config: Any
    """A CUlaunchConfig; the stream is set at each call."""


class _Planned(NamedTuple):
    """A plan's numbers, and its launches that are not empty."""

    layout: Layout
    launches: list[_Checked]


@dataclass(frozen=True)
class _Step:
    """One launch, ready for the driver."""

    launch: Launch
    config: Any
    function: Any
    parameters: Any
    """The array of pointers to the parameters."""
    keep: tuple[Any, ...]
    """What those pointers point to."""


def _checked(code: Any, launch: Launch) -> _Checked:
    driver: Any = import_module("cuda.bindings.driver")
    kernel = find_kernel(code, launch)
    config = _config(driver, launch)
    check_launch(kernel, launch, config)
    return _Checked(launch, kernel, config)


def _step(
    launch: Launch,
    kernel: Any,
    config: Any,
    pointers: Mapping[str, Any],
    maps: Mapping[str, Any],
) -> _Step:
    driver: Any = import_module("cuda.bindings.driver")
    values = tuple(_value(argument, pointers, maps) for argument in launch.arguments)
    parameters = (ctypes.c_void_p * max(len(values), 1))(*map(ctypes.addressof, values))
    keep = (values, kernel, dict(pointers))
    return _Step(launch, config, driver.CUfunction(int(kernel.handle)), parameters, keep)


def _config(driver: Any, launch: Launch) -> Any:
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = launch.grid
    config.blockDimX, config.blockDimY, config.blockDimZ = launch.block
    config.sharedMemBytes = launch.shared_bytes
    attributes = []
    if launch.cluster is not None:
        cluster = driver.CUlaunchAttribute()
        cluster.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        dims = cluster.value.clusterDim
        dims.x, dims.y, dims.z = launch.cluster
        attributes.append(cluster)
    if launch.cooperative:
        cooperative = driver.CUlaunchAttribute()
        cooperative.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
        cooperative.value.cooperative = 1
        attributes.append(cooperative)
    config.attrs = attributes
    config.numAttrs = len(attributes)
    return config


_C_TYPES: Mapping[str, Callable[[Any], Any]] = {
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}


def _value(argument: Argument, pointers: Mapping[str, Any], maps: Mapping[str, Any]) -> Any:
    if argument.kind == "pointer":
        return ctypes.c_void_p(pointers[str(argument.value)].data_ptr())
    if argument.kind == "null":
        return ctypes.c_void_p(None)
    if argument.kind == "tensor_map":
        return maps[str(argument.value)]
    return _C_TYPES[argument.kind](argument.value)


def _call(steps: Sequence[_Step], zeroed: Sequence[Any], device: int) -> Call:
    driver: Any = import_module("cuda.bindings.driver")
    torch: Any = import_module("torch")
    # The public torch.cuda.current_stream makes an object: 3.6 us against 0.1, measured. Triton
    # and torch's own compiler take the stream this way too.
    launch, current_stream = driver.cuLaunchKernelEx, torch._C._cuda_getCurrentRawStream
    ready = [(s.config, s.function, ctypes.addressof(s.parameters), s) for s in steps]
    cleared = [(driver.CUdeviceptr(t.data_ptr()), t.nbytes) for t in zeroed if t.nbytes]

    def call() -> None:
        stream = driver.CUstream(current_stream(device))
        for pointer, size in cleared:
            (status,) = driver.cuMemsetD8Async(pointer, 0, size, stream)
            if status != 0:
                raise RuntimeError(f"clearing a workspace failed: {status.name}")
        for config, function, parameters, step in ready:
            config.hStream = stream
            (status,) = launch(config, function, parameters, 0)
            if status != 0:
                raise _launch_failure(step.launch, status)

    return call


def _launch_failure(launch: Launch, status: Any) -> RuntimeError:
    return RuntimeError(
        f"launching {launch.kernel!r} failed: {status.name} (grid {launch.grid}, "
        f"block {launch.block}, {launch.shared_bytes} bytes of dynamic shared memory, "
        f"cluster {launch.cluster}, cooperative {launch.cooperative})"
    )
