"""NVIDIA GPUs: slots are device memory that both processes map, blocks are replayed CUDA graphs.

An arena is made with CUDA's virtual memory calls and travels as a file descriptor. Memory opened
by a CUDA IPC handle instead is read and written at half the speed once a block touches more than
a few hundred MiB of it (an RMS norm took 258 us there and 132 us here, and in a process's own
memory), which would be charged to whoever writes where told and not to whoever returns tensors.
"""

import importlib.util
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any

from guard import cuda_memory, nvml
from guard.asks import Returned
from guard.domain.conditions import Conditions
from guard.ports import Call, DeviceIdentity
from guard.processes import HostTime

# Slots never take more than this share of the device memory that is free now.
SLOT_SHARE = 0.35
# The least of a few tiny operations takes 0.02 to 0.16 ms on an H200, with another process's kernel
# running 2.3 ms: the time slice that the device gives to that process.
TINY_OPERATIONS = 3
BUSY_NS = 1_000_000
_opened: dict[str, int] = {}


class NvidiaArena:
    """Slot memory on one GPU, mapped by the referee and by one runner."""

    def __init__(self, memory: Any, size_bytes: int, fd: int | None = None) -> None:
        self.size_bytes = size_bytes
        self._fd = fd
        self._pointer = cuda_memory.mapped(memory, size_bytes)

    def handle(self) -> dict[str, Any]:
        """The size; the file descriptor travels beside it."""
        return {"size_bytes": self.size_bytes}

    def fds(self) -> tuple[int, ...]:
        """What names the memory, in the referee."""
        return () if self._fd is None else (self._fd,)

    def tensor(self, offset: int, shape: tuple[int, ...], dtype: str) -> Any:
        """A torch tensor over the arena's bytes."""
        return cuda_memory.tensor_at(self._pointer + offset, shape, None, dtype)

    def close(self) -> None:
        """Unmap it."""
        cuda_memory.unmap(self._pointer, self.size_bytes)
        for fd in self.fds():
            os.close(fd)


class Nvidia:
    """Every NVIDIA GPU that the driver shows."""

    name = "nvidia"
    records = True
    spins = True
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
        """Device memory of at least this size."""
        _context(identity)
        pages = -(-size_bytes // cuda_memory.PAGE_BYTES)
        size_bytes = pages * cuda_memory.PAGE_BYTES
        memory, fd = cuda_memory.create(size_bytes)
        return NvidiaArena(memory, size_bytes, fd)

    def free_bytes(self, identity: DeviceIdentity) -> int:
        """A share of the free device memory."""
        from cuda.bindings import runtime

        _context(identity)
        return int(cuda_memory.check(runtime.cudaMemGetInfo())[0] * SLOT_SHARE)

    def attach(self, handle: Mapping[str, Any], fds: Sequence[int]) -> NvidiaArena:
        """Map the referee's memory."""
        self.prepare()
        return NvidiaArena(cuda_memory.receive(fds[0]), int(handle["size_bytes"]))

    def prepare(self) -> None:
        """Create the context, so that the first call does not pay for it."""
        import torch

        torch.zeros(1, device="cuda")
        torch.cuda.synchronize()

    def stand_by(self) -> None:
        """Replay and wait once: after a stop that takes several times longer."""
        _tiny_replay()()
        self.synchronise()

    def synchronise(self) -> None:
        """Wait for every stream of this process."""
        import torch

        torch.cuda.synchronize()

    def is_idle(self) -> bool:
        """Whether a tiny operation is done at once, and not after another process's time slice."""
        import torch

        took_ns = []
        for _ in range(TINY_OPERATIONS):
            start_ns = time.perf_counter_ns()
            torch.zeros(1, device="cuda")
            torch.cuda.synchronize()
            took_ns.append(time.perf_counter_ns() - start_ns)
        return min(took_ns) < BUSY_NS

    def conditions(self, identity: DeviceIdentity) -> Conditions:
        """The multiprocessors' clock, power, temperature, and what slows the clock."""
        return nvml.conditions(identity.facts["uuid"])

    def strangers(self, identity: DeviceIdentity, own: Collection[int]) -> int | None:
        """The others among the processes with a context there.

        A driver may give the numbers of another pid namespace, or hide them. Where this process,
        which has a context itself, is not among them, none can be told from another.
        """
        _context(identity)
        pids = nvml.compute_pids(identity.facts["uuid"])
        return len(pids - set(own)) if os.getpid() in pids else None

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
        base, _ = cuda_memory.check(driver.cuMemGetAddressRange(pointer))
        return pointer - int(base), cuda_memory.ipc_handle(int(base))

    def borrow(self, pid: int, returned: Returned) -> Any:
        """A view of the runner's tensor in device memory; no copy."""
        if len(returned.shape) != len(returned.strides):
            raise ValueError("strides do not fit the shape")
        if 0 in returned.shape:
            return cuda_memory.tensor_at(0, returned.shape, None, returned.dtype)
        key = f"{pid}:{returned.handle}"
        if key not in _opened:
            _opened[key] = cuda_memory.opened(returned.handle)
        from cuda.bindings import driver

        base, size_bytes = cuda_memory.check(driver.cuMemGetAddressRange(_opened[key]))
        _bounds(returned, int(size_bytes))
        return cuda_memory.tensor_at(
            int(base) + returned.address, returned.shape, returned.strides, returned.dtype
        )

    def host_time(self, pid: int) -> HostTime | None:
        """The host's share is not in a recorded block, so nothing needs to be taken off."""
        return None

    def forget(self, pid: int) -> None:
        """Unmap what was borrowed from a runner that has ended."""
        from cuda.bindings import runtime

        for key in [k for k in _opened if k.startswith(f"{pid}:")]:
            cuda_memory.check(runtime.cudaIpcCloseMemHandle(_opened.pop(key)))


@cache
def _tiny_replay() -> Callable[[], None]:
    """What replays a recorded call that does next to nothing."""
    import torch

    one = torch.zeros(1, device="cuda")

    def call() -> None:
        one.zero_()

    replay, _ = DEVICE.capture([call])

    def again(keep: object = one) -> None:
        # A recording does not keep what it writes to.
        replay()

    return again


def _bounds(returned: Returned, size_bytes: int) -> None:
    import torch

    size = getattr(torch, returned.dtype).itemsize
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


DEVICE = Nvidia()
