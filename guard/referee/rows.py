"""One tensor of many slots as a matrix with a row per slot: one look instead of thousands.

    columns (views of an arena) | tensors that lie apart -> matrices of consecutive slots

One by one, small tensors take much longer to look at than their size asks for: a block of calls of
two microseconds has two thousand slots. Start at `of_columns`, or at `of_tensors` where a runner's
returned tensors lie apart. Both cut alike, so that two sides can be walked together.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from guard.referee import looks

BATCH_BYTES = {"cpu": 64 * 2**20}
"""Of one matrix by kind of device; where tensors lie apart it is a copy of them."""
MOST_BATCH_BYTES = 512 * 2**20
"""The same on any other device."""


class Rows(NamedTuple):
    """One tensor of some consecutive slots."""

    matrix: Tensor
    """A row per slot; the elements are contiguous within a row."""
    tensor: int
    """Which tensor of a slot."""
    first: int
    """Place of the first row's slot among those asked for."""


def of_columns(columns: Sequence[Tensor]) -> Iterator[Rows]:
    """From columns of shape [slots, ...], each contiguous within a slot: views, no copies."""
    for index, column in enumerate(columns):
        size = _rows_at_once(column[0]) if len(column) else 1
        for start in range(0, len(column), size):
            part = column[start : start + size]
            steps, begin = (part.stride(0), 1), part.storage_offset()
            matrix = part.as_strided((len(part), column[0].numel()), steps, begin)
            yield Rows(matrix, index, start)


def of_tensors(slots: Sequence[Sequence[Tensor]]) -> Iterator[Rows]:
    """From tensors per slot: copies, unless there is only one slot in a matrix."""
    for index, column in enumerate(zip(*slots, strict=True)):
        size = _rows_at_once(column[0])
        for start in range(0, len(column), size):
            yield Rows(_joined(column[start : start + size]), index, start)


def words(*matrices: Tensor) -> list[Tensor]:
    """The bits of these rows as the widest integers that fit all of the matrices alike."""
    whole = all(
        (part * matrix.itemsize) % 8 == 0
        for matrix in matrices
        for part in (matrix.shape[1], matrix.stride(0), matrix.storage_offset())
    )
    return [matrix.view(torch.int64 if whole else torch.uint8) for matrix in matrices]


def differ(mine: Iterator[Rows], theirs: Iterator[Rows]) -> bool:
    """Whether any bit differs; waits for the device once."""
    found = []
    for a, b in zip(mine, theirs, strict=True):
        seen = looks.differing(a.matrix, b.matrix)
        if seen is None:
            first, second = words(a.matrix, b.matrix)
            seen = (first != second).any()
        found.append(seen.bool())
    return bool(found) and bool(torch.stack(found).any())


def _rows_at_once(one: Tensor) -> int:
    most = BATCH_BYTES.get(one.device.type, MOST_BATCH_BYTES)
    return max(1, most // max(1, math.prod(one.shape) * one.itemsize))


def _joined(tensors: Sequence[Tensor]) -> Tensor:
    rows = [tensor.reshape(1, tensor.numel()) for tensor in tensors]
    if len(rows) == 1:
        return rows[0]
    dtype = rows[0].dtype
    # Few operations exist for 8-bit types.
    plain = [row.view(torch.uint8) for row in rows] if dtype.itemsize == 1 else rows
    return torch.cat(plain).view(dtype)
