"""`guard.tensor_maps`: TMA's rules, each by its field."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.domain.errors import MalformedSolution
from guard.domain.solution import TensorMap
from guard.tensor_map_encoding import encode
from guard.tensor_maps import lay_out_map

AXES = {"M": 100, "N": 4096}


def tensor_map(**changed):
    given = {"tensor": "x", "dtype": "bfloat16", "dims": ("N", "M"), "box": ("64", "8")}
    return TensorMap.model_validate(given | changed)


def test_a_map_is_contiguous_unless_told_otherwise():
    layout = lay_out_map("m", tensor_map(dims=("N", "M", "3"), box=("64", "8", "1")), AXES)
    assert layout.strides == (8192, 819_200)
    assert layout.element_strides == (1, 1, 1)
    assert layout.span_bytes == 2 * 4096 * 100 * 3


def test_strides_may_step_over_what_is_not_wanted():
    layout = lay_out_map("m", tensor_map(dims=("64", "M"), strides=("2 * N",)), AXES)
    assert layout.span_bytes == 99 * 8192 + 128


REFUSED = [
    pytest.param({"dims": ("N", "0")}, r"m\.dims\[1\].*0 does not lie in 1", id="empty"),
    pytest.param({"dims": ("N", "K")}, r"m\.dims\[1\].*unknown name", id="unknown axis"),
    pytest.param({"box": ("512", "8")}, r"m\.box\[0\].*1 \.\. 256", id="box too large"),
    pytest.param({"box": ("64",)}, r"m\.box.*1 values for 2", id="box of another rank"),
    pytest.param({"box": ("4", "8")}, "no multiple of 16", id="narrow box"),
    pytest.param({"strides": ("24",)}, r"m\.strides\[0\].*24 bytes", id="odd stride"),
    pytest.param({"strides": ()}, "0 values for 2", id="no strides"),
    pytest.param({"dims": ("N + 1", "M")}, r"m\.strides.*8194 bytes", id="odd rows"),
    pytest.param({"element_strides": ("1", "9")}, r"element_strides\[1\]", id="long step"),
    pytest.param({"swizzle": "64B"}, "128 bytes; swizzle 64B", id="box wider than the swizzle"),
    pytest.param({"interleave": "16B"}, "at least 3 dimensions", id="interleaved matrix"),
    pytest.param(
        {"interleave": "32B", "dims": ("16", "16", "M"), "box": ("16", "8", "1")},
        "goes with swizzle 32B",
        id="interleave without its swizzle",
    ),
    pytest.param({"dtype": "int32", "oob_fill": "nan"}, "int32 has no NaN", id="integer NaN"),
]


@pytest.mark.parametrize(("changed", "message"), REFUSED)
def test_what_tma_would_not_take_is_refused_by_its_field(changed, message):
    with pytest.raises(MalformedSolution, match=message):
        lay_out_map("m", tensor_map(**changed), AXES)


def test_a_map_may_not_reach_beyond_its_tensor():
    layout = lay_out_map("m", tensor_map(), AXES)
    with pytest.raises(MalformedSolution, match=r"maps\.m.*spans 819200 bytes; 'x' has 819199"):
        encode(layout, 0, layout.span_bytes - 1)


@given(
    dims=st.lists(st.integers(1, 600), min_size=1, max_size=5),
    box=st.integers(1, 300),
    dtype=st.sampled_from(["uint8", "bfloat16", "float32", "int64"]),
    swizzle=st.sampled_from(["none", "32B", "64B", "128B"]),
)
def test_what_is_laid_out_keeps_the_rules(dims, box, dtype, swizzle):
    written = tensor_map(
        dims=tuple(map(str, dims)),
        box=(str(box), *("1",) * (len(dims) - 1)),
        dtype=dtype,
        swizzle=swizzle,
    )
    item = {"uint8": 1, "bfloat16": 2, "float32": 4, "int64": 8}[dtype]
    try:
        layout = lay_out_map("m", written, {})
    except MalformedSolution:
        return
    assert not any(stride % 16 for stride in layout.strides)
    assert layout.box[0] * item % 16 == 0
    assert swizzle == "none" or layout.box[0] * item <= int(swizzle[:-1])
    # Contiguous: it ends where its tensor ends.
    count = 1
    for size in dims:
        count *= size
    assert layout.span_bytes == count * item
