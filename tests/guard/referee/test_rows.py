"""`guard.referee.rows`: many slots at a look, cut alike for both sides, and no bit overlooked."""

import pytest
import torch

from guard.referee.rows import BATCH_BYTES, differ, of_columns, of_tensors, words

DTYPES = [torch.bool, torch.int8, torch.float8_e5m2, torch.bfloat16, torch.float32, torch.int64]


def column(dtype, slots=5, shape=(3, 5), gap=7):
    """One tensor of each slot in memory with gaps between the slots, as an arena has them."""
    elements = torch.Size(shape).numel()
    memory = torch.arange(slots * (elements + gap)).remainder(100).to(dtype)
    own = torch.empty(shape, device="meta").stride()
    return memory.as_strided((slots, *shape), (elements + gap, *own))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(3, 5), (8,), (), (0,)], ids=str)
def test_columns_and_tensors_that_lie_apart_give_the_same_rows(dtype, shape, monkeypatch):
    monkeypatch.setitem(BATCH_BYTES, "cpu", 2 * 15 * dtype.itemsize)
    columns = [column(dtype, shape=shape), column(torch.float32)]
    apart = [[one[slot].clone() for one in columns] for slot in range(5)]
    viewed, joined = list(of_columns(columns)), list(of_tensors(apart))
    assert [(r.tensor, r.first, r.matrix.shape) for r in viewed] == [
        (r.tensor, r.first, r.matrix.shape) for r in joined
    ]
    assert not differ(iter(viewed), iter(joined))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_bit_of_one_slot_makes_a_difference(dtype):
    mine, theirs = column(dtype), column(dtype)
    assert not differ(of_columns([mine]), of_columns([theirs]))
    theirs[3].view(torch.uint8)[2, 4] ^= 1
    assert differ(of_columns([mine]), of_columns([theirs]))


def test_what_lies_between_the_slots_is_nobodys():
    mine, theirs = column(torch.float32), column(torch.float32)
    theirs.untyped_storage()[4 * 16] ^= 1
    assert not differ(of_columns([mine]), of_columns([theirs]))


def test_rows_are_read_in_words_where_they_fit():
    fits, does_not = (torch.zeros(3, n, dtype=torch.bfloat16) for n in (4, 3))
    assert [w.shape for w in words(fits)] == [(3, 1)]
    assert [w.shape for w in words(fits, does_not)] == [(3, 8), (3, 6)]
