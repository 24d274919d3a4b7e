"""TMA descriptors of a launch plan: from expressions to numbers that the driver will take.

The driver refuses a bad descriptor with one word for all reasons, so each of its rules is checked
here by its field. Pure. Start at `lay_out_map`. Not here: `guard.tensor_map_encoding`.
"""

from collections.abc import Mapping
from itertools import accumulate

from guard.domain.errors import MalformedSolution
from guard.domain.solution import TensorMap
from guard.launch_values import TensorMapLayout, integer, within

ELEMENT_BYTES = {
    "uint8": 1, "uint16": 2, "uint32": 4, "int32": 4, "uint64": 8, "int64": 8, "float16": 2,
    "float32": 4, "float64": 8, "bfloat16": 2,
}  # fmt: skip
_SWIZZLE_BYTES = {"none": 2**31, "32B": 32, "64B": 64, "128B": 128}
_FLOATING = ("float16", "float32", "float64", "bfloat16")
MAX_DIM = 2**32
MAX_STRIDE = 2**40 - 1
MAX_BOX = 256
MAX_ELEMENT_STRIDE = 8


def lay_out_map(name: str, written: TensorMap, axes: Mapping[str, int]) -> TensorMapLayout:
    """Give every expression of a tensor map its value.

    Raises:
        MalformedSolution: the field, and the rule of TMA that it breaks.
    """
    field = f"launch_plan.tensor_maps.{name}"
    item = ELEMENT_BYTES[written.dtype]
    dims = _values(f"{field}.dims", written.dims, axes, MAX_DIM)
    box = _values(f"{field}.box", written.box, axes, MAX_BOX)
    steps = written.element_strides or ("1",) * len(dims)
    element_strides = _values(f"{field}.element_strides", steps, axes, MAX_ELEMENT_STRIDE)
    # Contiguous: each dimension steps over the whole of the one before.
    contiguous = tuple(
        str(size) for size in accumulate(dims[:-1], lambda a, b: a * b, initial=item)
    )
    strides = _values(
        f"{field}.strides",
        contiguous[1:] if written.strides is None else written.strides,
        axes,
        MAX_STRIDE,
    )
    _check_rank(field, written, len(dims))
    _check_strides(f"{field}.strides", strides, 32 if written.interleave == "32B" else 16)
    _check_box(field, written, box[0] * item)
    if written.oob_fill == "nan" and written.dtype not in _FLOATING:
        raise MalformedSolution(f"{field}.oob_fill", f"{written.dtype} has no NaN")
    reach = sum((size - 1) * step for size, step in zip(dims[1:], strides, strict=True))
    return TensorMapLayout(
        name=name,
        tensor=written.tensor,
        dtype=written.dtype,
        dims=dims,
        strides=strides,
        box=box,
        element_strides=element_strides,
        swizzle=written.swizzle,
        interleave=written.interleave,
        l2_promotion=written.l2_promotion,
        oob_fill=written.oob_fill,
        span_bytes=dims[0] * item + reach,
    )


def _values(
    field: str, expressions: tuple[str, ...], axes: Mapping[str, int], limit: int
) -> tuple[int, ...]:
    return tuple(
        within(f"{field}[{i}]", integer(f"{field}[{i}]", expression, axes), limit, 1)
        for i, expression in enumerate(expressions)
    )


def _check_rank(field: str, written: TensorMap, rank: int) -> None:
    expected = {"box": rank, "element_strides": rank, "strides": rank - 1}
    for part, count in expected.items():
        given = getattr(written, part)
        if given is not None and len(given) != count:
            reason = f"{len(given)} values for {rank} dimensions; {count} are needed"
            raise MalformedSolution(f"{field}.{part}", reason)
    if written.interleave != "none" and rank < 3:
        raise MalformedSolution(f"{field}.interleave", "needs at least 3 dimensions")


def _check_strides(field: str, strides: tuple[int, ...], unit: int) -> None:
    for i, stride in enumerate(strides):
        if stride % unit:
            raise MalformedSolution(f"{field}[{i}]", f"{stride} bytes is no multiple of {unit}")


def _check_box(field: str, written: TensorMap, inner_bytes: int) -> None:
    if written.interleave == "32B" and written.swizzle != "32B":
        raise MalformedSolution(f"{field}.swizzle", "interleave 32B goes with swizzle 32B")
    if written.interleave != "none":
        return
    if inner_bytes % 16:
        reason = f"its first dimension has {inner_bytes} bytes, which is no multiple of 16"
        raise MalformedSolution(f"{field}.box", reason)
    if inner_bytes > _SWIZZLE_BYTES[written.swizzle]:
        reason = f"its first dimension has {inner_bytes} bytes; swizzle {written.swizzle} takes"
        limit = _SWIZZLE_BYTES[written.swizzle]
        raise MalformedSolution(f"{field}.box", f"{reason} at most {limit}")
