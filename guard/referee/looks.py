"""Look at a whole block's slots in one pass over memory: a GPU's own kernels, where there are any.

The operations of torch read and write such a matrix many times over, and a device that looks is a
device that times nothing. Each function answers None where torch must do it: on another device,
without NVRTC, or for a rare type. Nothing waits for the device.

Start at `left`. Not here: what an answer means (`sides`, `rows`, `agreement`).
"""

import ctypes
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from guard.domain.problem import Tolerance
from guard.referee.nvidia_kernels import BLOCK_THREADS, OwnKernel, compiled
from guard.verify import BEYOND

SOURCE = Path(__file__).parent / "looks.cu"
WIDTHS = (1, 2, 4, 8)
APART = {t: f"apart_{str(t).removeprefix('torch.')}" for t in (
    torch.float16, torch.bfloat16, torch.float32,
)}  # fmt: skip
WITHIN = {(t, y): f"within_{str(t).removeprefix('torch.')}_{str(y).removeprefix('torch.')}"
    for t in APART for y in (t, torch.float64)
}  # fmt: skip
OWN = (*(f"left_{width}" for width in WIDTHS), "differing", "touch")
NAMES = (*OWN, *APART.values(), *WITHIN.values())
VECTOR_BYTES = 16
VECTORS = 4
"""Read by each thread, about."""
MOST_COLUMNS = 4096
"""Thread blocks of one launch that walks over a tensor: several for each multiprocessor."""
MOST_ROWS = 65_535
"""Of one launch."""


def left(matrix: Tensor, pattern: int) -> Tensor | None:
    """How many elements hold these bits: int64, 0-D."""
    kernels = _kernels(matrix)
    if kernels is None or not _fits(matrix):
        return None
    found = torch.zeros((), dtype=torch.int64, device=matrix.device)
    row_bytes = matrix.shape[1] * matrix.itemsize
    kernels[f"left_{matrix.itemsize}"](
        _grid(matrix.shape[0], row_bytes), *_rows(matrix), _long(row_bytes),
        ctypes.c_ulonglong(pattern), found.data_ptr(),
    )  # fmt: skip
    return found


def differing(mine: Tensor, theirs: Tensor) -> Tensor | None:
    """More than nothing where any bit differs: int64, 0-D."""
    kernels = _kernels(mine)
    if kernels is None or not (_fits(mine) and _fits(theirs)):
        return None
    found = torch.zeros((), dtype=torch.int64, device=mine.device)
    row_bytes = mine.shape[1] * mine.itemsize
    kernels["differing"](
        _grid(mine.shape[0], row_bytes), *_rows(mine), *_rows(theirs), _long(row_bytes),
        found.data_ptr(),
    )  # fmt: skip
    return found


def apart(mine: Tensor, theirs: Tensor, tolerance: Tolerance, factor: float) -> Tensor | None:
    """Per row, elements further apart than so many tolerances, and those much further: [rows, 2].

    Calculated in float32, as `agreement` does.
    """
    kernels = _kernels(mine)
    if kernels is None or mine.dtype not in APART or not (_fits(mine) and _fits(theirs)):
        return None
    rows, elements = mine.shape
    found = torch.zeros((rows, 2), dtype=torch.int64, device=mine.device)
    limits = (factor * tolerance.max_rtol, factor * tolerance.max_atol, BEYOND)
    kernels[APART[mine.dtype]](
        _grid(rows, elements * mine.itemsize), *_rows(mine), *_rows(theirs), _long(elements),
        *map(ctypes.c_float, limits), ctypes.c_int(tolerance.allow_negative_inf), found.data_ptr(),
    )  # fmt: skip
    return found


def within(actual: Tensor, expected: Tensor, tolerance: Tolerance) -> Tensor | None:
    """Elements out of tolerance, and as bits the largest limit, absolute and relative error: [4].

    Calculated in float64; where something is out of tolerance, the others say nothing.
    """
    name = WITHIN.get((actual.dtype, expected.dtype))
    kernels = _kernels(actual)
    flat = actual.is_contiguous() and expected.is_contiguous() and actual.numel() > 0
    if kernels is None or name is None or not flat:
        return None
    found = torch.zeros(4, dtype=torch.int64, device=actual.device)
    limits = map(ctypes.c_double, (tolerance.max_rtol, tolerance.max_atol))
    grid = min(MOST_COLUMNS, -(-actual.numel() // (VECTORS * BLOCK_THREADS)))
    kernels[name](
        grid, actual.data_ptr(), expected.data_ptr(), _long(actual.numel()), *limits,
        found.data_ptr(),
    )  # fmt: skip
    return found


class Look(NamedTuple):
    """A look that is ready: what queues it, and where it keeps what it saw."""

    queue: Callable[[], object]
    seen: Tensor
    found: Tensor
    """What it reads; a tensor with gaps is read from a copy, which must outlive the look."""


def touching(output: Tensor, most: int) -> Look:
    """Make a look ready that reads at most about so many elements, all over this tensor."""
    apart = max(1, output.numel() // most) * output.itemsize
    found = output.reshape(-1).view(torch.uint8)
    count = -(-found.numel() // apart)
    seen = torch.zeros(count, dtype=torch.uint8, device=output.device)
    kernels = _kernels(output)
    if kernels is None:
        return Look(partial(seen.copy_, found[::apart]), seen, found)
    arguments = (found.data_ptr(), _long(apart), _long(count), seen.data_ptr())
    return Look(kernels["touch"].ready(-(-count // BLOCK_THREADS), *arguments), seen, found)


def _kernels(matrix: Tensor) -> Mapping[str, OwnKernel] | None:
    return compiled(SOURCE, NAMES) if matrix.is_cuda else None


def _fits(matrix: Tensor) -> bool:
    """Whether it is what the kernels read: rows without gaps inside, not too many of them."""
    plain = matrix.dim() == 2 and matrix.numel() > 0 and matrix.stride(1) == 1
    return plain and matrix.itemsize in WIDTHS and matrix.shape[0] <= MOST_ROWS


def _rows(matrix: Tensor) -> tuple[int, ctypes.c_longlong]:
    return matrix.data_ptr(), _long(matrix.stride(0) * matrix.itemsize)


def _grid(rows: int, row_bytes: int) -> tuple[int, int]:
    return max(1, row_bytes // (VECTOR_BYTES * VECTORS * BLOCK_THREADS)), rows


def _long(number: int) -> ctypes.c_longlong:
    return ctypes.c_longlong(number)
