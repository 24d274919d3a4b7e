"""`guard.referee.agreement`: two sides that cannot both be right are found, in any slot."""

import pytest
import torch

from guard.domain.problem import Tolerance
from guard.referee.agreement import disagreeing
from guard.referee.compare import CHUNK
from guard.referee.rows import BATCH_BYTES, of_tensors

STRICT = Tolerance(max_atol=1e-3, max_rtol=1e-2, required_matched_ratio=1.0)
LENIENT = Tolerance(max_atol=1e-3, max_rtol=1e-2, required_matched_ratio=0.9)


def outputs(dtype=torch.float32, slots=4):
    """One output of 100 elements a slot, of size 1 and above."""
    generator = torch.Generator().manual_seed(3)
    drawn = [1 + torch.rand(10, 10, generator=generator) for _ in range(slots)]
    return [[one.to(dtype)] for one in drawn]


def changed(given, slot, change):
    copy = [[tensor.clone() for tensor in one] for one in given]
    change(copy[slot][0].view(-1))
    return copy


def put(count, value):
    def change(flat):
        flat[:count] = value

    return change


def add(count, value):
    def change(flat):
        flat[:count] += value

    return change


CASES = [
    # change of slot 2, tolerance, slots in doubt
    pytest.param(add(0, 0.0), STRICT, [], id="equal"),
    pytest.param(add(100, 0.015), STRICT, [], id="both may be right"),
    pytest.param(add(1, 0.2), STRICT, [2], id="one element too far"),
    pytest.param(add(20, 0.06), LENIENT, [], id="as many as both may have"),
    pytest.param(add(21, 0.06), LENIENT, [2], id="one more"),
    pytest.param(add(1, 5.0), LENIENT, [2], id="one much too far"),
    pytest.param(put(1, float("nan")), LENIENT, [2], id="NaN"),
    pytest.param(put(1, float("inf")), LENIENT, [2], id="infinite"),
]


@pytest.mark.parametrize(("change", "tolerance", "doubted"), CASES)
def test_what_cannot_be_right_on_both_sides_is_in_doubt(change, tolerance, doubted):
    mine = outputs()
    theirs = changed(mine, 2, change)
    assert disagreeing(of_tensors(mine), of_tensors(theirs), tolerance) == doubted
    assert disagreeing(of_tensors(theirs), of_tensors(mine), tolerance) == doubted


@pytest.mark.parametrize("allowed", [True, False])
def test_two_negative_infinities_agree_where_they_are_allowed(allowed):
    mine = changed(outputs(), 1, put(3, -float("inf")))
    tolerance = STRICT.model_copy(update={"allow_negative_inf": allowed})
    assert disagreeing(of_tensors(mine), of_tensors(mine), tolerance) == ([] if allowed else [1])


NARROW = [
    torch.float64, torch.float16, torch.bfloat16, torch.float8_e5m2, torch.float8_e4m3fn,
    torch.int64, torch.int32, torch.int8, torch.bool,
]  # fmt: skip


@pytest.mark.parametrize("dtype", NARROW)
def test_every_type_is_compared(dtype):
    mine = outputs(dtype)

    def flip(flat):
        bits = flat.view(torch.uint8)
        bits[-1] ^= 0b01111000

    assert disagreeing(of_tensors(mine), of_tensors(mine), STRICT) == []
    assert disagreeing(of_tensors(mine), of_tensors(changed(mine, 3, flip)), STRICT) == [3]


def test_packed_pairs_are_compared():
    mine = [[torch.full((10,), 0x22, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)]] * 2
    theirs = [mine[0], [torch.full((10,), 0x26, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)]]
    assert disagreeing(of_tensors(mine), of_tensors(theirs), STRICT) == [1]


def test_slots_and_elements_are_walked_in_parts(monkeypatch):
    monkeypatch.setitem(CHUNK, "cpu", 16)
    monkeypatch.setitem(BATCH_BYTES, "cpu", 1000)
    mine = outputs(slots=7)
    theirs = changed(changed(mine, 6, add(1, 0.2)), 3, add(1, 0.2))
    assert disagreeing(of_tensors(mine), of_tensors(theirs), STRICT) == [3, 6]


def test_each_output_counts():
    mine = [[torch.ones(4), torch.ones(3)], [torch.ones(4), torch.ones(3)]]
    theirs = [[torch.ones(4), torch.ones(3)], [torch.ones(4), torch.zeros(3)]]
    assert disagreeing(of_tensors(mine), of_tensors(theirs), STRICT) == [1]


def test_outputs_without_elements_agree():
    mine = [[torch.ones(0)]]
    assert disagreeing(of_tensors(mine), of_tensors(mine), STRICT) == []
