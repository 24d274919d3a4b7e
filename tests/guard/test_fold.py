"""`guard.fold`: one call's output changes the next one's input, and the same wherever repeated."""

import pytest
import torch

from guard.fold import ENTRIES, SAMPLES, Fold, fold, fold_each, rehearse

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int8]


def place(read: int, changed: int, seed: int = 0) -> Fold:
    generator = torch.Generator().manual_seed(seed)
    entry = torch.zeros(ENTRIES, dtype=torch.int64)
    entry[:SAMPLES].random_(0, read, generator=generator)
    count = min(SAMPLES, changed)
    entry[SAMPLES : SAMPLES + count] = torch.randperm(changed, generator=generator)[:count]
    entry[-1].random_(generator=generator)
    return Fold.read(entry, changed)


def filled(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    count = torch.Size(shape).numel()
    return (torch.arange(count) % 101 + 1).to(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_it_changes_only_the_places_it_was_told(dtype):
    into, told = filled(dtype, 40, 50), place(600, 2000)
    before = into.clone()
    fold(filled(torch.float32, 20, 30), into, told)
    changed = (into != before).reshape(-1).nonzero().reshape(-1).tolist()
    assert changed
    assert set(changed) <= set(told.targets.tolist())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_repeating_it_gives_the_same_bits(dtype):
    output = filled(torch.bfloat16, 20, 30)
    once, again = filled(dtype, 40, 50), filled(dtype, 40, 50)
    for into in (once, again):
        fold(output, into, place(600, 2000))
    assert once.equal(again)


def test_every_sampled_bit_counts():
    told, output = place(600, 2000), filled(torch.float32, 600)
    read = {0: filled(torch.float32, 2000)}
    fold(output, read[0], told)
    for number, source in enumerate(told.sources[:32].tolist(), start=1):
        other = output.clone()
        other.view(torch.int32)[source] ^= 1
        read[number] = filled(torch.float32, 2000)
        fold(other, read[number], told)
    differing = sum(not read[0].equal(one) for number, one in read.items() if number)
    # The factor has 128 steps, so that now and then two outputs agree on it.
    assert differing >= 28


@pytest.mark.parametrize("dtype", DTYPES[:4], ids=str)
def test_floating_inputs_shrink_and_keep_zeros_and_signs(dtype):
    into = torch.linspace(-3, 3, 601).to(dtype)
    before = into.clone()
    fold(filled(torch.float32, 64), into, place(64, 601))
    assert torch.all(into.abs() <= before.abs())
    assert torch.all(into.abs() >= before.abs() * 0.6)
    assert torch.equal(into.sign(), before.sign())


@pytest.mark.parametrize("dtype", [torch.int32, torch.int8, torch.bool], ids=str)
def test_other_inputs_keep_their_values_in_other_places(dtype):
    into = (
        filled(torch.int32, 700).remainder(2).to(dtype)
        if dtype is torch.bool
        else filled(dtype, 700)
    )
    before = into.clone()
    fold(filled(torch.float32, 64), into, place(64, 700))
    assert sorted(into.tolist()) == sorted(before.tolist())


def test_an_output_may_lie_in_strides_and_an_input_be_a_single_number():
    output, into = filled(torch.float32, 30, 20).T, torch.tensor(2.0)
    fold(output, into, place(600, 1))
    assert 1.2 < float(into) < 2.0


@pytest.mark.parametrize("output", ["float32", "bfloat16", "int64", "bool"])
def test_rehearsing_changes_nothing(output):
    into = filled(torch.float32, 10)
    rehearse(output, into)
    assert into.equal(filled(torch.float32, 10))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float8_e5m2, torch.int32])
def test_folds_of_many_calls_at_once_are_those_of_one_call_each(dtype):
    generator = torch.Generator().manual_seed(5)
    outputs = torch.randn(4, 50, generator=generator).to(dtype)
    inputs = torch.randn(4, 70, generator=generator).to(dtype)
    places = torch.zeros(4, ENTRIES, dtype=torch.int64)
    places[:, :SAMPLES].random_(0, 50, generator=generator)
    for row in places:
        row[SAMPLES : SAMPLES + 70] = torch.randperm(70, generator=generator)
    places[:, -1].random_(generator=generator)
    together = inputs.clone()
    fold_each(outputs, together, places)
    for output, into, place in zip(outputs, inputs, places, strict=True):
        fold(output, into, Fold.read(place, 70))
    assert together.view(torch.uint8).equal(inputs.view(torch.uint8))
