"""`guard.referee.compare`: every element is counted, exactly."""

import math
import random

import pytest
import torch

from guard.domain.problem import Tolerance
from guard.referee import compare as module
from guard.referee.compare import compare, count_nonfinite
from guard.referee.poison import draw_pattern, poison, poisoned

TOLERANCE = Tolerance(max_atol=0.1, max_rtol=0.01)
EXACT = Tolerance(max_atol=0.0, max_rtol=0.0)
FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
FLOAT8 = [torch.float8_e4m3fn, torch.float8_e5m2]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8]
OTHERS = [torch.bool, torch.float4_e2m1fn_x2]
ALL = [*FLOATS, *FLOAT8, *INTEGERS, *OTHERS]


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3, 5)], ids=str)
def test_poison_fills_every_element_and_is_counted(dtype, shape):
    tensor = torch.zeros((*shape, dtype.itemsize), dtype=torch.uint8).view(dtype).reshape(shape)
    pattern = draw_pattern(dtype, random.Random(1).getrandbits) or 1
    poison(tensor, pattern)
    assert poisoned(tensor, pattern) == tensor.numel()


@pytest.mark.parametrize("dtype", [*FLOATS, *FLOAT8], ids=str)
def test_floating_poison_is_nan(dtype):
    for seed in range(50):
        tensor = torch.empty(1, dtype=dtype)
        poison(tensor, draw_pattern(dtype, random.Random(seed).getrandbits))
        assert tensor.double().isnan().all()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floating_poison_is_no_nan_that_arithmetic_makes(dtype):
    made = torch.tensor([math.inf], dtype=dtype)
    made = torch.stack([made - made, made * 0, -(made * 0), torch.full_like(made, math.nan)])
    for seed in range(200):
        assert poisoned(made, draw_pattern(dtype, random.Random(seed).getrandbits)) == 0


def test_poison_for_bool_is_no_bool():
    patterns = {draw_pattern(torch.bool, random.Random(seed).getrandbits) for seed in range(200)}
    assert min(patterns) >= 2
    assert max(patterns) <= 255


def test_patterns_differ_from_call_to_call():
    assert len({draw_pattern(torch.float32) for _ in range(20)}) > 15


def _full(value, dtype=torch.float32, size=4):
    return torch.full((size,), value, dtype=torch.float32).to(dtype)


@pytest.mark.parametrize("dtype", [*FLOATS, *FLOAT8, *INTEGERS, *OTHERS], ids=str)
def test_a_tensor_equals_itself(dtype):
    tensor = torch.arange(64, dtype=torch.uint8).view(dtype)
    if dtype is torch.bool:
        tensor = torch.tensor([True, False])
    result = compare("y", tensor, tensor.clone(), EXACT, pattern=draw_pattern(dtype))
    assert result.matched == result.elements > 0
    assert (result.max_abs, result.beyond, result.unwritten) == (0.0, 0, 0)


@pytest.mark.parametrize("dtype", [*FLOATS, *FLOAT8], ids=str)
def test_elements_left_alone_are_unwritten_and_nothing_else(dtype):
    pattern = draw_pattern(dtype)
    actual = torch.empty(10, dtype=dtype)
    poison(actual, pattern)
    actual[:7] = _full(1.0, dtype, 7)
    result = compare("y", actual, _full(1.0, dtype, 10), TOLERANCE, pattern=pattern)
    assert (result.unwritten, result.matched, result.nan, result.nonfinite) == (3, 7, 0, 0)
    assert result.max_abs == 0.0


@pytest.mark.parametrize("dtype", [*INTEGERS, torch.bool], ids=str)
def test_an_integer_left_alone_is_unwritten_unless_it_is_right(dtype):
    pattern = 0x7B
    actual = torch.empty(2, dtype=dtype)
    poison(actual, pattern)
    expected = torch.zeros(2, dtype=dtype)
    if dtype is not torch.bool:
        expected[0] = actual[0]
    result = compare("y", actual, expected, EXACT, pattern=pattern)
    assert result.unwritten == (2 if dtype is torch.bool else 1)


@pytest.mark.parametrize(
    ("value", "matched", "beyond"),
    [
        pytest.param(100.0, 1, 0, id="equal"),
        pytest.param(101.0, 1, 0, id="within"),
        pytest.param(101.2, 0, 0, id="outside"),
        pytest.param(110.9, 0, 0, id="just within ten"),
        pytest.param(111.2, 0, 1, id="beyond ten"),
        pytest.param(-100.0, 0, 1, id="other sign"),
    ],
)
def test_tolerance_is_absolute_plus_relative(value, matched, beyond):
    result = compare("y", torch.tensor([value]), torch.tensor([100.0]), TOLERANCE)
    assert (result.matched, result.beyond) == (matched, beyond)
    assert result.max_abs == pytest.approx(abs(value - 100.0), rel=1e-5)
    assert result.max_rel == pytest.approx(abs(value - 100.0) / 100.0, rel=1e-5)


def test_the_relative_error_divides_by_atol_where_the_expected_is_small():
    result = compare("y", torch.tensor([0.05]), torch.tensor([0.0]), TOLERANCE)
    assert result.max_rel == pytest.approx(0.5)
    exact = compare("y", torch.tensor([0.05]), torch.tensor([0.0]), EXACT)
    assert exact.max_rel == pytest.approx(0.05)


INF, NAN = math.inf, math.nan
SPECIAL = [
    # actual, expected, -inf allowed: matched, nan, inf, nonfinite, beyond
    pytest.param(NAN, 1.0, False, (0, 1, 0, 1, 0), id="NaN"),
    pytest.param(INF, 1.0, False, (0, 0, 1, 1, 0), id="infinite"),
    pytest.param(NAN, NAN, True, (0, 1, 0, 1, 0), id="NaN for NaN"),
    pytest.param(INF, INF, True, (0, 0, 1, 1, 0), id="inf for inf"),
    pytest.param(-INF, -INF, False, (0, 0, 1, 1, 0), id="-inf for -inf, not allowed"),
    pytest.param(-INF, -INF, True, (1, 0, 0, 0, 0), id="-inf for -inf, allowed"),
    pytest.param(-INF, 1.0, True, (0, 0, 1, 1, 0), id="-inf for a number"),
    pytest.param(-1e30, -INF, True, (0, 0, 0, 0, 1), id="a number for -inf"),
    pytest.param(NAN, -INF, True, (0, 1, 0, 1, 0), id="NaN for -inf"),
]


@pytest.mark.parametrize(("actual", "expected", "allowed", "counts"), SPECIAL)
def test_numbers_that_are_not_finite(actual, expected, allowed, counts):
    tolerance = Tolerance(allow_negative_inf=allowed)
    result = compare("y", torch.tensor([actual]), torch.tensor([expected]), tolerance)
    seen = (result.matched, result.nan, result.inf, result.nonfinite, result.beyond)
    assert seen == counts
    assert math.isfinite(result.max_abs)
    assert math.isfinite(result.max_rel)


BIG = 2**60
EXTREMES = (torch.iinfo(torch.int64).max, torch.iinfo(torch.int64).min)


@pytest.mark.parametrize(
    ("actual", "expected", "error"),
    [
        pytest.param(BIG, BIG, 0.0, id="equal"),
        pytest.param(BIG, BIG + 1, 1.0, id="neighbours that float64 cannot tell apart"),
        pytest.param(*EXTREMES, 2.0**64, id="further apart than an int64 holds"),
        pytest.param(*reversed(EXTREMES), 2.0**64, id="and the other way round"),
    ],
)
def test_large_integers_keep_their_exactness(actual, expected, error):
    result = compare("y", torch.tensor([actual]), torch.tensor([expected]), EXACT)
    assert result.max_abs == error
    assert result.matched == (error == 0.0)
    assert result.beyond == (error != 0.0)


def test_a_float64_expectation_is_not_rounded_to_the_outputs_type():
    result = compare("y", _full(1.0, torch.bfloat16, 1), torch.tensor([1.003]).double(), EXACT)
    assert result.max_abs == pytest.approx(0.003, rel=1e-4)


def test_packed_4_bit_floats_count_twice():
    codes = torch.tensor([0x20, 0xF1], dtype=torch.uint8)
    expected = torch.tensor([0x20, 0xF3], dtype=torch.uint8)
    fp4 = torch.float4_e2m1fn_x2
    result = compare("y", codes.view(fp4), expected.view(fp4), EXACT)
    assert (result.elements, result.matched, result.max_abs) == (4, 3, 1.0)


def test_chunks_do_not_change_the_result(monkeypatch):
    generator = torch.Generator().manual_seed(3)
    expected = torch.randn(7, 31, generator=generator)
    actual = expected + 0.2 * torch.randn(7, 31, generator=generator)
    actual[3, 4] = math.nan
    pattern = draw_pattern(torch.float32)
    poison(actual[5], pattern)
    whole = compare("y", actual, expected, TOLERANCE, pattern=pattern)
    monkeypatch.setitem(module.CHUNK, "cpu", 10)
    assert compare("y", actual, expected, TOLERANCE, pattern=pattern) == whole
    assert poisoned(actual, pattern) == whole.unwritten == 31
    assert whole.nan == 1


def test_empty_and_0_d_outputs_can_be_compared():
    empty = torch.empty(0, 5)
    assert compare("y", empty, empty, EXACT).elements == 0
    assert compare("y", torch.tensor(2.0), torch.tensor(2.0), EXACT).matched == 1


def test_outputs_that_are_not_contiguous_can_be_compared():
    square = torch.arange(12.0).reshape(3, 4)
    assert compare("y", square.t(), square.t().contiguous(), EXACT).matched == 12


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="shape"):
        compare("y", torch.zeros(2, 1), torch.zeros(2), EXACT)


@pytest.mark.parametrize("dtype", [*FLOATS, torch.float8_e5m2], ids=str)
def test_numbers_that_are_not_finite_are_counted(dtype):
    tensor = torch.tensor([1.0, INF, -INF, NAN]).to(dtype)
    assert count_nonfinite(tensor) == 3
    assert count_nonfinite(tensor, allow_negative_inf=True) == 2
    assert count_nonfinite(torch.tensor([1, 2])) == 0
