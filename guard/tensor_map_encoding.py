"""TMA descriptors by the driver, in a runner: numbers and an address in, 128 opaque bytes out.

Called by ctypes: the driver wants a place aligned to 64 bytes, which Python's own objects, and so
those of cuda.bindings, are only by chance. Start at `encode`. Not here: the rules that the numbers
must keep (`guard.tensor_maps`).
"""

import ctypes
from collections.abc import Sequence

from guard.domain.errors import MalformedSolution
from guard.launch_values import TensorMapLayout

MAP_BYTES = 128
_ALIGNMENT = 64
# The driver's own numbers: CUtensorMapDataType and its like in cuda.h.
_DTYPES = {
    "uint8": 0, "uint16": 1, "uint32": 2, "int32": 3, "uint64": 4, "int64": 5, "float16": 6,
    "float32": 7, "float64": 8, "bfloat16": 9,
}  # fmt: skip
_INTERLEAVES = {"none": 0, "16B": 1, "32B": 2}
_SWIZZLES = {"none": 0, "32B": 1, "64B": 2, "128B": 3}
_L2_PROMOTIONS = {"none": 0, "64B": 1, "128B": 2, "256B": 3}
_OOB_FILLS = {"zero": 0, "nan": 1}


def encode(layout: TensorMapLayout, address: int, size_bytes: int) -> ctypes.Array[ctypes.c_char]:
    """A descriptor of the tensor of `size_bytes` at `address`.

    Raises:
        MalformedSolution: it reaches beyond the tensor, or the driver refuses it.
    """
    if layout.span_bytes > size_bytes:
        reason = f"it spans {layout.span_bytes} bytes; {layout.tensor!r} has {size_bytes}"
        raise MalformedSolution(layout.field, reason)
    # Both must live as long as the descriptor: a slice of a ctypes array would be a copy.
    room = ctypes.create_string_buffer(MAP_BYTES + _ALIGNMENT)
    start = -ctypes.addressof(room) % _ALIGNMENT
    descriptor = (ctypes.c_char * MAP_BYTES).from_buffer(room, start)
    status = ctypes.CDLL("libcuda.so.1").cuTensorMapEncodeTiled(
        ctypes.byref(descriptor),
        ctypes.c_int(_DTYPES[layout.dtype]),
        ctypes.c_uint32(len(layout.dims)),
        ctypes.c_void_p(address),
        _array(ctypes.c_uint64, layout.dims),
        _array(ctypes.c_uint64, layout.strides),
        _array(ctypes.c_uint32, layout.box),
        _array(ctypes.c_uint32, layout.element_strides),
        ctypes.c_int(_INTERLEAVES[layout.interleave]),
        ctypes.c_int(_SWIZZLES[layout.swizzle]),
        ctypes.c_int(_L2_PROMOTIONS[layout.l2_promotion]),
        ctypes.c_int(_OOB_FILLS[layout.oob_fill]),
    )
    if status:
        reason = f"the driver refuses it (CUDA error {status}) for the tensor at {address:#x}"
        raise MalformedSolution(layout.field, reason)
    return descriptor


def _array(
    kind: type[ctypes.c_uint32] | type[ctypes.c_uint64], values: Sequence[int]
) -> ctypes.Array[ctypes.c_uint32] | ctypes.Array[ctypes.c_uint64]:
    # Of one dimension there are no strides, but the driver wants a place.
    return (kind * max(len(values), 1))(*values)
