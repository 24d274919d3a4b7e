"""NVIDIA GPUs: slots are device memory shared by CUDA IPC, blocks are replayed CUDA graphs.

The referee allocates with the plain allocator of the CUDA runtime (a caching allocator would
hand out parts of larger blocks), so that one 64-byte handle names exactly one arena.
"""

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from guard.asks import Returned
from guard.ports import Call, DeviceIdentity, HostTime

# Slots never take more than this share of the device memory that is free now.
SLOT_SHARE = 0.35
_opened: dict[str, int] = {}


class NvidiaArena:
    """Slot memory on one GPU; owned by the referee, mapped by one runner."""

    def __init__(self, pointer: int, size_bytes: int, *, owner: bool) -> None:
        self._pointer = pointer
        self._size_bytes = size_bytes
        self._owner = owner

    def handle(self) -> dict[str, Any]:
        """The IPC handle (hexadecimal) and the size."""
        return {"ipc": _ipc_handle(self._pointer), "size_bytes": self._size_bytes}

    def fds(self) -> tuple[int, ...]:
        """None travel."""
        return ()

    def tensor(self, offset: int, shape: tuple[int, ...], dtype: str) -> Any:
        """A torch tensor over the arena's bytes."""
        return _tensor(self._pointer + offset, shape, None, dtype)

    def close(self) -> None:
        """Free the memory (referee) or unmap it (runner)."""
        from cuda.bindings import runtime

        if self._owner:
            _check(runtime.cudaFree(self._pointer))
        else:
            _check(runtime.cudaIpcCloseMemHandle(self._pointer))


class Nvidia:
    """Every NVIDIA GPU that the driver shows."""

    name = "nvidia"
    records = True
    # Importing the whole compiler would create a CUDA context, which no fork survives.
    warm = ("numpy", "torch", "torch._dynamo", "triton")

    def unavailable(self) -> str | None:
        """No driver, no GPU, or a missing Python package."""
        for package, hint in (
            ("pynvml", "nvidia-ml-py"),
            ("cuda.bindings", "cuda-bindings"),
            ("torch", "torch"),
        ):
            if not _importable(package):
                return f"the package {hint} is not installed"
        return None if self.found() else "no NVIDIA GPU was found"

    def found(self) -> tuple[DeviceIdentity, ...]:
        """The GPUs by NVML, named as CUDA numbers them."""
        if not _importable("pynvml"):
            return ()
        import pynvml

        try:
            pynvml.nvmlInit()
        except pynvml.NVMLError:
            return ()
        try:
            return tuple(_identity(pynvml, i) for i in range(pynvml.nvmlDeviceGetCount()))
        finally:
            pynvml.nvmlShutdown()

    def allocate(self, identity: DeviceIdentity, size_bytes: int) -> NvidiaArena:
        """Device memory of this size."""
        from cuda.bindings import runtime

        _context(identity)
        return NvidiaArena(int(_check(runtime.cudaMalloc(size_bytes))), size_bytes, owner=True)

    def free_bytes(self, identity: DeviceIdentity) -> int:
        """A share of the free device memory."""
        from cuda.bindings import runtime

        _context(identity)
        return int(_check(runtime.cudaMemGetInfo())[0] * SLOT_SHARE)

    def attach(self, handle: Mapping[str, Any], fds: Sequence[int]) -> NvidiaArena:
        """Map the referee's memory."""
        return NvidiaArena(_open(str(handle["ipc"])), int(handle["size_bytes"]), owner=False)

    def prepare(self) -> None:
        """Create the context, so that the first call does not pay for it."""
        import torch

        torch.zeros(1, device="cuda")
        torch.cuda.synchronize()

    def synchronise(self) -> None:
        """Wait for every stream of this process."""
        import torch

        torch.cuda.synchronize()

    def capture(self, calls: Sequence[Call]) -> tuple[Callable[[], None], list[Any]]:
        """Record the calls into one CUDA graph on a stream of its own."""
        import torch

        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            returned = [call() for call in calls]
        return graph.replay, returned

    def locate(self, tensor: Any) -> tuple[int, str]:
        """The offset within its allocation, and that allocation's IPC handle."""
        from cuda.bindings import driver

        if tensor.numel() == 0:
            return 0, ""
        pointer = int(tensor.data_ptr())
        base, _ = _check(driver.cuMemGetAddressRange(pointer))
        return pointer - int(base), _ipc_handle(int(base))

    def borrow(self, pid: int, returned: Returned) -> Any:
        """A view of the runner's tensor in device memory; no copy."""
        if len(returned.shape) != len(returned.strides):
            raise ValueError("strides do not fit the shape")
        if 0 in returned.shape:
            return _tensor(0, returned.shape, None, returned.dtype)
        key = f"{pid}:{returned.handle}"
        if key not in _opened:
            _opened[key] = _open(returned.handle)
        from cuda.bindings import driver

        base, size_bytes = _check(driver.cuMemGetAddressRange(_opened[key]))
        _bounds(returned, int(size_bytes))
        return _tensor(
            int(base) + returned.address, returned.shape, returned.strides, returned.dtype
        )

    def host_time(self, pid: int) -> HostTime | None:
        """The host's share is not in a recorded block, so nothing needs to be taken off."""
        return None

    def forget(self, pid: int) -> None:
        """Unmap what was borrowed from a runner that has ended."""
        from cuda.bindings import runtime

        for key in [k for k in _opened if k.startswith(f"{pid}:")]:
            _check(runtime.cudaIpcCloseMemHandle(_opened.pop(key)))


class _Memory:
    """What torch needs to wrap foreign device memory without a copy."""

    def __init__(self, pointer: int, size_bytes: int) -> None:
        self.__cuda_array_interface__ = {
            "data": (pointer, False), "shape": (size_bytes,), "typestr": "|u1", "version": 3,
        }  # fmt: skip


def _tensor(
    pointer: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, dtype: str
) -> Any:
    import torch

    kind = getattr(torch, dtype)
    if 0 in shape:
        return torch.empty(shape, dtype=kind, device="cuda")
    steps = strides if strides is not None else _contiguous(shape)
    extent = 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    size = torch.empty((), dtype=kind).element_size()
    flat = torch.as_tensor(_Memory(pointer, extent * size), device="cuda").view(kind)
    return flat.as_strided(shape, steps)


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    steps: list[int] = []
    step = 1
    for size in reversed(shape):
        steps.append(step)
        step *= size
    return tuple(reversed(steps))


def _bounds(returned: Returned, size_bytes: int) -> None:
    import torch

    size = torch.empty((), dtype=getattr(torch, returned.dtype)).element_size()
    steps = zip(returned.shape, returned.strides, strict=True)
    last = returned.address + size * (1 + sum((n - 1) * s for n, s in steps))
    if min(returned.strides, default=0) < 0 or last > size_bytes:
        raise ValueError("the tensor does not lie inside its allocation")


def _identity(nvml: Any, index: int) -> DeviceIdentity:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
    # The `a` features (wgmma, TMA forms) exist from Hopper on and bind a cubin to that family.
    suffix = "a" if major >= 9 else ""
    return DeviceIdentity(
        name=f"cuda:{index}",
        kind="nvidia",
        hardware=_text(nvml.nvmlDeviceGetName(handle)),
        architecture=f"sm_{major}{minor}{suffix}",
        facts={
            "driver": _text(nvml.nvmlSystemGetDriverVersion()),
            "uuid": _text(nvml.nvmlDeviceGetUUID(handle)),
            "memory_bytes": str(nvml.nvmlDeviceGetMemoryInfo(handle).total),
        },
    )


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _importable(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def _context(identity: DeviceIdentity) -> None:
    """Make the device current in this process; torch and the runtime share its primary context."""
    import torch

    # The executor shows this process only its own GPU, so that is number 0 here.
    torch.cuda.set_device(0)
    # The first allocation makes the context.
    torch.empty(1, device="cuda")


def _ipc_handle(pointer: int) -> str:
    from cuda.bindings import runtime

    return bytes(_check(runtime.cudaIpcGetMemHandle(pointer)).reserved).hex()


def _open(handle: str) -> int:
    from cuda.bindings import runtime

    message = runtime.cudaIpcMemHandle_t()
    message.reserved = bytes.fromhex(handle)
    flags = runtime.cudaIpcMemLazyEnablePeerAccess
    return int(_check(runtime.cudaIpcOpenMemHandle(message, flags)))


def _check(answer: tuple[Any, ...]) -> Any:
    """Unpack a CUDA answer.

    Raises:
        ValueError: the call failed, with CUDA's name for the reason.
    """
    code, *values = answer
    if int(code) != 0:
        raise ValueError(f"CUDA: {code.name}")
    return values[0] if len(values) == 1 else tuple(values)


DEVICE = Nvidia()
