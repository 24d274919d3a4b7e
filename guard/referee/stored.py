"""Read one tensor from a safetensors file below a problem's folder.

A file is eight bytes of header length, a JSON header and the data. Nothing outside the folder is
opened, and nothing in the file is trusted: lengths are checked before bytes are read.

Start at `load`. Not here: finding the file (`guard.stored_path`).
"""

import json
import math
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch import Tensor

from guard.domain.problem import SafetensorsInput
from guard.referee.reference import ReferenceFailed
from guard.stored_path import find

MAX_HEADER_BYTES = 16 * 2**20
_LENGTH_BYTES = 8
_DTYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn, "F8_E5M2": torch.float8_e5m2, "I64": torch.int64,
    "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "BOOL": torch.bool,
}  # fmt: skip


def load(folder: str, source: SafetensorsInput, wanted: Tensor) -> Tensor:
    """The stored tensor, on the CPU; its shape and dtype must equal `wanted`'s.

    Raises:
        ReferenceFailed: no such file or key, another shape or dtype, or a damaged file.
    """
    try:
        path = find(Path(folder), source.path)
        if path is None:
            raise ReferenceFailed(f"there is no file {source.path!r} below the problem's folder")
        stored = _read(path, source.tensor_key)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReferenceFailed(f"{source.path!r} cannot be read: {error}") from error
    if stored.shape != wanted.shape or stored.dtype != wanted.dtype:
        raise ReferenceFailed(
            f"{source.path!r} holds {source.tensor_key!r} as {stored.dtype} "
            f"{tuple(stored.shape)}, not {wanted.dtype} {tuple(wanted.shape)}"
        )
    return stored


@lru_cache(maxsize=8)
def _read(path: Path, key: str) -> Tensor:
    with path.open("rb") as file:
        header = _header(file)
        if key not in header:
            raise ReferenceFailed(f"{path.name!r} holds no tensor {key!r}")
        return _tensor(file, header[key])


def _header(file: BinaryIO) -> dict[str, Any]:
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    if not 0 < length <= MAX_HEADER_BYTES:
        raise ValueError("its header has no sensible length")
    header = json.loads(file.read(length))
    if not isinstance(header, dict):
        raise ValueError("its header is no object")
    return header


def _tensor(file: BinaryIO, entry: dict[str, Any]) -> Tensor:
    dtype = _DTYPES[entry["dtype"]]
    shape = [int(size) for size in entry["shape"]]
    first, last = (int(offset) for offset in entry["data_offsets"])
    size_bytes = math.prod(shape) * dtype.itemsize
    if first < 0 or last - first != size_bytes:
        raise ValueError("its offsets do not fit the shape")
    file.seek(first, 1)
    data = bytearray(file.read(size_bytes))
    if len(data) != size_bytes:
        raise ValueError("it ends early")
    if not data:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(data, dtype=dtype).reshape(shape)
