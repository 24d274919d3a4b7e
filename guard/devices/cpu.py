"""The host's processor as a device: slots are shared memory, a runner has one pinned thread."""

import contextlib
import ctypes
import fcntl
import hashlib
import math
import mmap
import os
import platform
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from guard.asks import Returned
from guard.domain.conditions import NOTHING_TOLD, Conditions
from guard.ports import Call, DeviceIdentity
from guard.processes import HostTime, cpu_clock, newest

_libc = ctypes.CDLL(None, use_errno=True)
# Slots never take more than this share of the memory that is available now.
SLOT_SHARE = 0.25
SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
# A returned tensor may be a view, but not of much more memory than it has elements.
MOST_STRETCHED = 4


class CpuArena:
    """Slot memory in an anonymous file, mapped by the referee and by one runner."""

    def __init__(self, fd: int, size_bytes: int) -> None:
        self._fd = fd
        self.size_bytes = size_bytes
        self._map = mmap.mmap(fd, size_bytes)

    def handle(self) -> dict[str, Any]:
        """The size; the file descriptor travels beside it."""
        return {"size_bytes": self.size_bytes}

    def fds(self) -> tuple[int, ...]:
        """The anonymous file."""
        return (self._fd,)

    def tensor(self, offset: int, shape: tuple[int, ...], dtype: str) -> Any:
        """A torch tensor over the mapped bytes."""
        import torch

        kind = getattr(torch, dtype)
        count = 1
        for size in shape:
            count *= size
        if count == 0:
            return torch.empty(shape, dtype=kind)
        flat = torch.frombuffer(self._map, dtype=kind, count=count, offset=offset)
        return flat.reshape(shape)

    def close(self) -> None:
        """Give the file back; the mapping goes with the last tensor over it."""
        os.close(self._fd)


class Cpu:
    """The one CPU device of a host."""

    name = "cpu"
    records = False
    spins = False
    warm = ("numpy", "torch", "torch._inductor.compile_fx")
    # torch's compiler imports triton, whose own functions take their form at that moment.

    def unavailable(self) -> str | None:
        """Never: every host has a processor (Linux is required for shared memory files)."""
        return None if hasattr(os, "memfd_create") else "needs Linux"

    def found(self) -> tuple[DeviceIdentity, ...]:
        """One device; its hardware is the processor's model name."""
        model, flags = _cpu_info()
        return (
            DeviceIdentity(
                name="cpu",
                kind="cpu",
                hardware=model,
                architecture=platform.machine(),
                facts={
                    "cores": str(len(os.sched_getaffinity(0))),
                    "flags": hashlib.sha256(flags.encode()).hexdigest()[:12],
                },
            ),
        )

    def allocate(self, identity: DeviceIdentity, size_bytes: int) -> CpuArena:
        """Shared memory of this size, not yet touched."""
        fd = os.memfd_create("slots", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(fd, size_bytes)
        # A runner holds it too. If it could be cut, touching what is gone would end the referee.
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, SEALS)
        return CpuArena(fd, size_bytes)

    def free_bytes(self, identity: DeviceIdentity) -> int:
        """A share of the available memory."""
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(int(line.split()[1]) * 1024 * SLOT_SHARE)
        return 2**28

    def attach(self, handle: Mapping[str, Any], fds: Sequence[int]) -> CpuArena:
        """Map the referee's file."""
        return CpuArena(fds[0], int(handle["size_bytes"]))

    def prepare(self) -> None:
        """One thread: the runner is pinned to one core."""
        import torch

        torch.set_num_threads(1)

    def stand_by(self) -> None:
        """Nothing: nobody spins here."""

    def synchronise(self) -> None:
        """Nothing is queued on a CPU."""

    def is_idle(self) -> bool:
        """A stopped process does nothing on a CPU."""
        return True

    def conditions(self, identity: DeviceIdentity) -> Conditions:
        """Nothing: what the host's cores run at cannot be told for the one that counts."""
        return NOTHING_TOLD

    def strangers(self, identity: DeviceIdentity, own: Collection[int]) -> int | None:
        """It cannot be told: every process of the host uses its cores."""
        return None

    def capture(self, calls: Sequence[Call]) -> tuple[Callable[[], None], list[Any]]:
        """A CPU has no recorded replays; the referee never asks for one."""
        raise RuntimeError("calls cannot be recorded on a CPU")

    def locate(self, tensor: Any) -> tuple[int, str]:
        """The address of the first element."""
        return int(tensor.data_ptr()), ""

    def borrow(self, pid: int, returned: Returned) -> Any:
        """Copy a runner's tensor out of its memory, after the clock has stopped."""
        import torch

        kind = getattr(torch, returned.dtype)
        size = torch.empty((), dtype=kind).element_size()
        extent = _extent(returned)
        if extent > MOST_STRETCHED * math.prod(returned.shape):
            raise ValueError("its strides reach far beyond its elements")
        data = _read_memory(pid, returned.address, extent * size) if extent else b""
        if not data:
            return torch.empty(returned.shape, dtype=kind)
        flat = torch.frombuffer(bytearray(data), dtype=kind)
        return flat.as_strided(returned.shape, returned.strides)

    def host_time(self, pid: int) -> HostTime | None:
        """What the kernel counted for the runner, and for this thread, which waits for it.

        Several threads on the same core could pass off each other's work as waiting, so it is told
        whether there are any. Other processes are refused (`Side.check_alone`).
        """
        try:
            alone = len(os.listdir(f"/proc/{pid}/task")) == 1
            used_ns = time.clock_gettime_ns(cpu_clock(pid))
            waited_ns = _run_delay_ns(str(pid)) + _run_delay_ns("thread-self")
            return HostTime(waited_ns, used_ns, newest(), alone)
        except OSError:
            return None

    def forget(self, pid: int) -> None:
        """Nothing of a runner stays mapped here."""


def _extent(returned: Returned) -> int:
    """Elements between the first and the last one of a strided tensor, inclusive."""
    if len(returned.shape) != len(returned.strides) or min(returned.strides, default=0) < 0:
        raise ValueError("strides do not fit the shape")
    if 0 in returned.shape:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(returned.shape, returned.strides, strict=True))


def _run_delay_ns(process: str) -> int:
    """How long it was ready but not running: the second number of ``schedstat``."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[1])


def _read_memory(pid: int, address: int, size_bytes: int) -> bytes:
    opened: list[int] = []
    # In a thread that then ends: what it became must stick to nothing else.
    opener = threading.Thread(target=_open_as_its_user, args=(pid, opened))
    opener.start()
    opener.join()
    try:
        with os.fdopen(opened[0], "rb", buffering=0) as memory:
            data = os.pread(memory.fileno(), size_bytes, address)
    except (OSError, OverflowError, IndexError):
        data = b""
    if len(data) != size_bytes:
        raise ValueError(f"{size_bytes} bytes cannot be read there")
    return data


def _open_as_its_user(pid: int, opened: list[int]) -> None:
    """Open a process's memory; root in a container may read only that of its own user."""
    with contextlib.suppress(OSError):
        owner = os.stat(f"/proc/{pid}")
        _libc.setfsgid(owner.st_gid)
        _libc.setfsuid(owner.st_uid)
        opened.append(os.open(f"/proc/{pid}/mem", os.O_RDONLY))


def _cpu_info() -> tuple[str, str]:
    model, flags = platform.processor() or platform.machine(), ""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            model = value.strip()
        if key.strip() in ("flags", "Features"):
            flags = value.strip()
    return model, flags


DEVICE = Cpu()
