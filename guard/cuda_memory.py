"""Memory of an NVIDIA GPU that two processes map, and torch tensors over it.

    create -> file descriptor -> receive (the other process);  mapped -> address -> tensor_at

A CUDA IPC handle names what a process allocated by the plain calls (`ipc_handle`, `opened`). Start
at `create`. Not here: what the memory is for (`guard.devices.nvidia`).
"""

import functools
import os
from typing import Any

# Memory is made and mapped in pages of this size on every GPU since Volta.
PAGE_BYTES = 2 * 2**20


def create(size_bytes: int) -> tuple[Any, int]:
    """Physical memory of the first visible GPU, and a file descriptor that names it.

    The size is a multiple of `PAGE_BYTES`.
    """
    from cuda.bindings import driver

    memory = check(driver.cuMemCreate(size_bytes, _placed(), 0))
    return memory, int(check(driver.cuMemExportToShareableHandle(memory, _fd_kind(), 0)))


def receive(fd: int) -> Any:
    """The physical memory that another process created; closes the descriptor."""
    from cuda.bindings import driver

    memory = check(driver.cuMemImportFromShareableHandle(fd, _fd_kind()))
    os.close(fd)
    return memory


def _placed() -> Any:
    """Where arenas lie and how they travel."""
    from cuda.bindings import driver

    # The executor shows this process only its own GPU, so that is number 0 here.
    place = driver.CUmemAllocationProp()
    place.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    place.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    place.location.id = 0
    place.requestedHandleTypes = _fd_kind()
    return place


def mapped(memory: Any, size_bytes: int) -> int:
    """Map physical memory into this process, which needs its handle no longer; the address."""
    from cuda.bindings import driver

    pointer = int(check(driver.cuMemAddressReserve(size_bytes, PAGE_BYTES, 0, 0)))
    check(driver.cuMemMap(pointer, size_bytes, 0, memory, 0))
    access = driver.CUmemAccessDesc()
    access.location = _placed().location
    access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    check(driver.cuMemSetAccess(pointer, size_bytes, [access], 1))
    check(driver.cuMemRelease(memory))
    return pointer


def unmap(pointer: int, size_bytes: int) -> None:
    """Give addresses back; the memory is free once no process maps it."""
    import torch
    from cuda.bindings import driver

    # Unmapping does not wait for what still reads or writes there.
    torch.cuda.synchronize()
    check(driver.cuMemUnmap(pointer, size_bytes))
    check(driver.cuMemAddressFree(pointer, size_bytes))


def ipc_handle(pointer: int) -> str:
    """The handle of the plain allocation that begins here, hexadecimal."""
    from cuda.bindings import runtime

    return bytes(check(runtime.cudaIpcGetMemHandle(pointer)).reserved).hex()


def opened(handle: str) -> int:
    """Map another process's plain allocation; the address."""
    from cuda.bindings import runtime

    message = runtime.cudaIpcMemHandle_t()
    message.reserved = bytes.fromhex(handle)
    flags = runtime.cudaIpcMemLazyEnablePeerAccess
    return int(check(runtime.cudaIpcOpenMemHandle(message, flags)))


def tensor_at(
    pointer: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, dtype: str
) -> Any:
    """A torch tensor over mapped memory, without a copy; contiguous where no strides are given."""
    import torch

    kind = getattr(torch, dtype)
    if 0 in shape:
        return torch.empty(shape, dtype=kind, device="cuda")
    steps = strides if strides is not None else _contiguous(shape)
    extent = 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    # What torch's own replay of graphs makes tensors with: by the CUDA array interface it takes
    # four times as long, and a block has thousands of them.
    storage = torch._C._construct_storage_from_data_pointer(
        pointer, _first_gpu(), extent * kind.itemsize
    )
    return torch.empty(0, dtype=kind, device="cuda").set_(storage, 0, shape, steps)


@functools.cache
def _first_gpu() -> Any:
    import torch

    # The executor shows each process only its own GPU.
    return torch.device("cuda", 0)


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    steps: list[int] = []
    step = 1
    for size in reversed(shape):
        steps.append(step)
        step *= size
    return tuple(reversed(steps))


def check(answer: tuple[Any, ...]) -> Any:
    """Unpack a CUDA answer.

    Raises:
        ValueError: the call failed, with CUDA's name for the reason.
    """
    code, *values = answer
    if int(code) != 0:
        raise ValueError(f"CUDA: {code.name}")
    return values[0] if len(values) == 1 else tuple(values) or None


def _fd_kind() -> Any:
    from cuda.bindings import driver

    return driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
