"""On a GPU: the referee's own kernels say what torch's operations say, however the rows lie."""

import math

import pytest
import torch

from guard.domain.problem import Tolerance
from guard.referee import agreement, compare, looks
from guard.referee.poison import poison, poisoned

pytestmark = pytest.mark.gpu

PATTERNS = {
    torch.bool: 0x7B, torch.int8: 0x11, torch.int16: 0x1234, torch.int64: 2**63 + 5,
    torch.bfloat16: 0x7FC5, torch.float16: 0xFE11, torch.float32: 0x7FC01234,
    torch.float64: 0xFFF8 << 48 | 77,
}  # fmt: skip
LIMITS = Tolerance(max_atol=0.01, max_rtol=0.01)


def rows(dtype, count, elements, gap=0, start=0):
    """A matrix with gaps between its rows, beginning `start` elements behind an aligned address."""
    step = elements + gap
    flat = torch.zeros(start + count * step, dtype=dtype, device="cuda")
    return flat.as_strided((count, elements), (step, 1), start)


LAYOUTS = [(1, 1), (3, 64), (5, 1001), (2048, 256), (7, 2**20 + 3)]


@pytest.mark.parametrize("dtype", PATTERNS, ids=str)
@pytest.mark.parametrize(("count", "elements"), LAYOUTS)
@pytest.mark.parametrize("start", [0, 1])
def test_what_is_left_of_the_poison_is_counted_to_the_element(dtype, count, elements, start):
    matrix = rows(dtype, count, elements, gap=128, start=start)
    pattern = PATTERNS[dtype]
    assert int(looks.left(matrix, pattern)) == 0
    for number in {0, count * elements // 2, count * elements - 1}:
        row, column = divmod(number, elements)
        poison(matrix[row : row + 1, column : column + 1], pattern)
    expected = len({0, count * elements // 2, count * elements - 1})
    assert int(looks.left(matrix, pattern)) == int(poisoned(matrix, pattern)) == expected
    poison(matrix, pattern)
    assert int(looks.left(matrix, pattern)) == matrix.numel()


@pytest.mark.parametrize("dtype", [torch.int8, torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize(("count", "elements"), LAYOUTS)
@pytest.mark.parametrize("starts", [(0, 0), (0, 1), (3, 0)])
def test_one_changed_bit_anywhere_is_a_difference(dtype, count, elements, starts):
    mine, theirs = (rows(dtype, count, elements, gap=64, start=start) for start in starts)
    assert int(looks.differing(mine, theirs)) == 0
    for number in {0, count * elements // 2, count * elements - 1}:
        row, column = divmod(number, elements)
        theirs[row, column] = 1
        assert int(looks.differing(mine, theirs)) > 0
        theirs[row, column] = 0


@pytest.mark.parametrize("dtype", looks.APART, ids=str)
@pytest.mark.parametrize(("count", "elements"), LAYOUTS)
@pytest.mark.parametrize("allowed", [False, True])
def test_the_same_elements_are_apart_as_torch_finds(dtype, count, elements, allowed):
    tolerance = LIMITS.model_copy(update={"allow_negative_inf": allowed})
    mine, theirs = (rows(dtype, count, elements, gap=8) for _ in range(2))
    mine.copy_(torch.randn(count, elements, device="cuda"))
    theirs.copy_(mine + 0.02 * torch.randn(count, elements, device="cuda"))
    strange = [torch.inf, -torch.inf, torch.nan, 1e4]
    for number, value in enumerate(strange[: count * elements]):
        mine[number % count, -1 - number // count] = value
        if number % 2:
            theirs[number % count, -1 - number // count] = value
    found = looks.apart(mine, theirs, tolerance, agreement.APART)
    here, far = agreement._apart(mine, theirs, tolerance)
    # A fused multiply-add may put a value at the very limit on the other side of it.
    assert (found[:, 0] - here).abs().sum() <= 1e-5 * mine.numel() + 1
    assert found[:, 1].tolist() == far.tolist()


@pytest.mark.parametrize(("dtype", "wanted"), looks.WITHIN, ids=str)
@pytest.mark.parametrize("elements", [1, 1001, 2**22 + 3])
@pytest.mark.parametrize("atol", [0.0, 0.01])
def test_right_elements_have_the_errors_that_torch_finds(dtype, wanted, elements, atol):
    tolerance = Tolerance(max_atol=atol, max_rtol=0.01)
    expected = torch.randn(elements, device="cuda", dtype=torch.float64).add_(3).to(wanted)
    actual = (expected.double() * (1 + 0.004 * torch.rand_like(expected.double()))).to(dtype)
    told = compare._told(looks.within(actual, expected, tolerance))
    assert told == compare._told_by_torch(actual.double(), expected.double(), tolerance)
    assert told[0] == 0
    assert 0 < told[1] < 1


@pytest.mark.parametrize(
    "value", [100.0, torch.inf, -torch.inf, torch.nan], ids=["far", "inf", "-inf", "nan"]
)
@pytest.mark.parametrize("at", [0, 777, 4095])
@pytest.mark.parametrize("spoilt", ["actual", "expected"])
def test_one_wrong_element_anywhere_is_out_of_tolerance(value, at, spoilt):
    expected = torch.randn(4096, device="cuda", dtype=torch.float64)
    actual = expected.float()
    (actual if spoilt == "actual" else expected)[at] = value
    outside, most, *_ = compare._told(looks.within(actual, expected, LIMITS))
    assert outside == 1 or not math.isfinite(most)


def test_a_type_that_is_rare_is_left_to_torch():
    matrix = torch.zeros(2, 8, dtype=torch.float64, device="cuda")
    assert looks.apart(matrix, matrix, LIMITS, agreement.APART) is None
