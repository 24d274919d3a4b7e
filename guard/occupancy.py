"""How many warps of a kernel fit on a multiprocessor, and what keeps out more.

A pure function of published limits. Per compute capability: CUDA Programming Guide, *Technical
Specifications per Compute Capability*; the allocation rules are those of NVIDIA's
``cuda_occupancy.h``. Start at `occupancy`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

WARP = 32
REGISTERS = 65_536
"""Of one multiprocessor, on every capability below."""
REGISTER_UNIT = 256
"""Registers are given to a warp in such steps."""
PARTITIONS = 4
"""A multiprocessor is four parts with a quarter of the registers each; a warp lies in one."""


@dataclass(frozen=True)
class Limits:
    """What one multiprocessor holds at most."""

    warps: int
    blocks: int
    shared_bytes: int
    shared_unit: int = 128
    """Shared memory is given to a block in such steps."""
    reserved_bytes: int = 1024
    """Shared memory that the system takes of each block."""


LIMITS: Mapping[str, Limits] = {
    "70": Limits(64, 32, 96 * 1024, 256, 0),
    "75": Limits(32, 16, 64 * 1024, 256, 0),
    "80": Limits(64, 32, 164 * 1024),
    "86": Limits(48, 16, 100 * 1024),
    "87": Limits(48, 16, 164 * 1024),
    "89": Limits(48, 24, 100 * 1024),
    "90": Limits(64, 32, 228 * 1024),
    "100": Limits(64, 32, 228 * 1024),
    "103": Limits(64, 32, 228 * 1024),
    "110": Limits(48, 24, 228 * 1024),
    "120": Limits(48, 24, 100 * 1024),
    "121": Limits(48, 24, 100 * 1024),
}


@dataclass(frozen=True)
class Occupancy:
    """What fits on one multiprocessor at a time."""

    blocks: int
    warps: int
    of_warps: int
    limited_by: tuple[str, ...]
    """What would have to shrink for another block: registers, shared memory, threads, blocks."""

    @property
    def percent(self) -> int:
        """Warps that fit, of those that a multiprocessor can hold."""
        return round(100 * self.warps / self.of_warps)


def limits(architecture: str) -> Limits | None:
    """The limits of an architecture such as ``sm_90a``; none where they are not known here."""
    found = re.fullmatch(r"sm_(\d+)[a-z]?", architecture)
    return LIMITS.get(found[1]) if found else None


def warps_by_registers(registers: int) -> int:
    """How many warps the registers of a multiprocessor allow, whatever the block."""
    taken = _up(max(registers, 1) * WARP, REGISTER_UNIT)
    return REGISTERS // PARTITIONS // taken * PARTITIONS


def occupancy(has: Limits, registers: int, shared_bytes: int, threads: int) -> Occupancy:
    """What fits of blocks of so many threads, with so much shared memory each."""
    warps = max(1, _up(threads, WARP) // WARP)
    shared = _up(shared_bytes + has.reserved_bytes, has.shared_unit)
    fits = {
        "registers": warps_by_registers(registers) // warps,
        "threads": has.warps // warps,
        "blocks": has.blocks,
    }
    if shared:
        fits["shared memory"] = has.shared_bytes // shared
    blocks = min(fits.values())
    limiting = tuple(name for name, most in fits.items() if most == blocks)
    return Occupancy(blocks, blocks * warps, has.warps, limiting)


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
