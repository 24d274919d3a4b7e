"""What a compiled kernel allows, held against a launch before anything is launched.

A cubin comes from a builder that a candidate may have ruled, so nothing about it is believed: the
driver is asked. It runs in the runner alone. Start at `check_launch`.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any

from guard.domain.errors import MalformedSolution
from guard.launch_values import SIZE_BYTES, Argument, Launch

MAX_CUBIN_BYTES = 64 * 2**20
PORTABLE_CLUSTER_BLOCKS = 8


def read_built(path: Path) -> bytes:
    """A file that a builder left, unparsed.

    Raises:
        MalformedSolution: there is none, or it is too large.
    """
    if not path.is_file():
        raise MalformedSolution("launch_plan", f"the build left no {path.name}")
    size = path.stat().st_size
    if size > MAX_CUBIN_BYTES:
        reason = f"{path.name} has {size} bytes; at most {MAX_CUBIN_BYTES} are loaded"
        raise MalformedSolution("sources", reason)
    return path.read_bytes()


def find_kernel(code: Any, launch: Launch) -> Any:
    """The kernel of this name.

    Raises:
        MalformedSolution: the driver does not take the cubin, or it has no such kernel.
    """
    # cuda.core raises this class and exports it nowhere else.
    errors: Any = import_module("cuda.core._utils.cuda_utils")
    try:
        return code.get_kernel(launch.kernel)
    except errors.CUDAError as error:
        reason = f"the driver finds no kernel {launch.kernel!r} in the cubin ({error})"
        raise MalformedSolution(f"{launch.field}.kernel", reason) from error


def check_launch(kernel: Any, launch: Launch, config: Any) -> None:
    """Hold a launch against what its kernel and the device allow, and opt in where that is needed.

    Raises:
        MalformedSolution: the field, and the limit.
    """
    driver: Any = import_module("cuda.bindings.driver")
    check_parameters(f"{launch.field}.arguments", kernel.arguments_info, launch.arguments)
    device = driver.cuCtxGetDevice()[1]
    _check_threads(driver, kernel, launch, device)
    _allow_shared(driver, kernel, launch, device)
    if launch.cluster is not None:
        _check_cluster(driver, kernel, launch, config, device)
    if launch.cooperative:
        _check_cooperative(driver, kernel, launch, device)


def check_parameters(where: str, sizes: Sequence[Any], arguments: Sequence[Argument]) -> None:
    """The kernel's parameters and the plan's arguments must agree in number and size."""
    if len(sizes) != len(arguments):
        reason = f"the kernel takes {len(sizes)} parameters, the plan gives {len(arguments)}"
        raise MalformedSolution(where, reason)
    for i, (parameter, argument) in enumerate(zip(sizes, arguments, strict=True)):
        given = SIZE_BYTES[argument.kind]
        if parameter.size != given:
            reason = f"parameter {i} has {parameter.size} bytes, {argument.kind} has {given}"
            raise MalformedSolution(where, reason)


def check_tensors(launch: Launch, pointers: Mapping[str, Any], workspaces: Sequence[str]) -> None:
    """A typed pointer must point to such elements; a workspace may hold anything."""
    for i, argument in enumerate(launch.arguments):
        if not argument.dtype or argument.value in workspaces:
            continue
        found = str(pointers[str(argument.value)].dtype).removeprefix("torch.")
        if found != argument.dtype:
            reason = f"{argument.value!r} holds {found}, not {argument.dtype}"
            raise MalformedSolution(f"{launch.field}.arguments[{i}]", reason)


def _check_threads(driver: Any, kernel: Any, launch: Launch, device: Any) -> None:
    names = driver.CUfunction_attribute
    most = _attribute(driver, kernel, names.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device)
    if launch.threads > most:
        registers = _attribute(driver, kernel, names.CU_FUNC_ATTRIBUTE_NUM_REGS, device)
        reason = (
            f"{launch.threads} threads; this kernel takes at most {most} "
            f"(it uses {registers} registers a thread)"
        )
        raise MalformedSolution(f"{launch.field}.block", reason)


def _allow_shared(driver: Any, kernel: Any, launch: Launch, device: Any) -> None:
    if not launch.shared_bytes:
        return
    names = driver.CUfunction_attribute
    # Needed above 48 KiB, static shared memory counted in; harmless below.
    (status,) = driver.cuKernelSetAttribute(
        names.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        launch.shared_bytes,
        kernel.handle,
        device,
    )
    if status != 0:
        static = _attribute(driver, kernel, names.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, device)
        reason = (
            f"{launch.shared_bytes} bytes, with {static} that the kernel declares, are more than "
            f"this GPU offers ({status.name})"
        )
        raise MalformedSolution(f"{launch.field}.shared_bytes", reason)


def _check_cluster(driver: Any, kernel: Any, launch: Launch, config: Any, device: Any) -> None:
    where = f"{launch.field}.cluster"
    names = driver.CUfunction_attribute
    sides = (
        names.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
        names.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
        names.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
    )
    asked = tuple(_attribute(driver, kernel, side, device) for side in sides)
    if any(asked) and asked != launch.cluster:
        reason = f"the kernel itself asks for {asked}; leave it out, or write the same"
        raise MalformedSolution(where, reason)
    if launch.cluster and prod(launch.cluster) > PORTABLE_CLUSTER_BLOCKS:
        name = names.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
        (status,) = driver.cuKernelSetAttribute(name, 1, kernel.handle, device)
        if status != 0:
            raise MalformedSolution(where, f"this GPU has no such clusters ({status.name})")
    status, clusters = driver.cuOccupancyMaxActiveClusters(
        driver.CUfunction(int(kernel.handle)), config
    )
    if status != 0 or clusters < 1:
        reason = f"no cluster of {launch.cluster} blocks of this kernel fits ({status.name})"
        raise MalformedSolution(where, reason)


def _check_cooperative(driver: Any, kernel: Any, launch: Launch, device: Any) -> None:
    _, blocks = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        driver.CUfunction(int(kernel.handle)), launch.threads, launch.shared_bytes
    )
    name = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
    _, processors = driver.cuDeviceGetAttribute(name, device)
    most = blocks * processors
    if prod(launch.grid) > most:
        reason = (
            f"a cooperative launch has all {prod(launch.grid)} blocks on the device at once; "
            f"{most} fit ({blocks} on each of {processors} multiprocessors)"
        )
        raise MalformedSolution(f"{launch.field}.grid", reason)


def _attribute(driver: Any, kernel: Any, name: Any, device: Any) -> int:
    status, value = driver.cuKernelGetAttribute(name, kernel.handle, device)
    if status != 0:
        raise RuntimeError(f"reading {name.name} failed: {status.name}")
    return int(value)
