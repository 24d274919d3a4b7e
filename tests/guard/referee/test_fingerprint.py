"""`guard.referee.fingerprint`: no change goes unnoticed, and equal bits have equal prints."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from guard.referee.fingerprint import fingerprints as of_rows
from guard.referee.rows import of_tensors


def fingerprints(slots, seed):
    return of_rows(of_tensors(slots), seed)


def slots(elements=33, dtype=torch.float32, count=3):
    generator = torch.Generator().manual_seed(4)
    drawn = [torch.randn(elements, generator=generator).to(dtype) for _ in range(count)]
    return [[one, torch.arange(8)] for one in drawn]


def test_equal_bits_have_equal_prints_and_seeds_differ():
    assert torch.equal(fingerprints(slots(), 7), fingerprints(slots(), 7))
    assert not torch.equal(fingerprints(slots(), 7), fingerprints(slots(), 8))


@given(at=st.integers(0, 33 * 4 - 1), bit=st.integers(0, 7), seed=st.integers(0, 2**62))
def test_one_flipped_bit_shows(at, bit, seed):
    given_slots = slots()
    before = fingerprints(given_slots, seed)
    given_slots[1][0].view(torch.uint8)[at] ^= 1 << bit
    assert (fingerprints(given_slots, seed) != before).sum() == 1


@pytest.mark.parametrize("dtype", [torch.bool, torch.int8, torch.float8_e5m2, torch.bfloat16])
def test_two_elements_that_change_places_show(dtype):
    one = [[torch.tensor([0, 1, 0, 1, 1, 0, 0, 0]).to(dtype)]]
    other = [[torch.tensor([1, 0, 0, 1, 1, 0, 0, 0]).to(dtype)]]
    assert not torch.equal(fingerprints(one, 1), fingerprints(other, 1))


def test_nothing_has_no_prints():
    assert fingerprints([[], []], 1).numel() == 0
