"""What lies in the slots before "go" is not what was drawn, and afterwards it is."""

import pytest
import torch

from guard.referee import stopwatch
from guard.referee.duel import duel
from guard.referee.seals import seal
from tests.guard.referee.test_slots import slots
from tests.guard.trials import duel_order, solution


@pytest.mark.parametrize("numbers", [[0], [1, 2]])
def test_every_slot_is_wrong_until_the_seal_is_lifted(numbers):
    made = slots(rows=40, columns=50)
    made.refresh(range(3), 5)
    drawn = [made.inputs(slot)[0].clone() for slot in range(3)]
    sealed = seal(made, numbers)
    for slot in range(3):
        assert torch.equal(made.inputs(slot)[0], drawn[slot]) == (slot not in numbers)
        same = made.inputs(slot)[0].flatten().sort().values
        assert torch.equal(same, drawn[slot].flatten().sort().values)
    sealed.lift()
    for slot in range(3):
        assert torch.equal(made.inputs(slot)[0], drawn[slot])


def test_another_place_is_sealed_each_time():
    made = slots(rows=40, columns=50)
    made.refresh(range(3), 5)
    places = set()
    for _ in range(8):
        sealed = seal(made, [0])
        places.add(sealed.place.storage_offset())
        sealed.lift()
    assert len(places) > 1


def test_a_runner_that_is_awake_has_wrong_inputs_before_it(court, monkeypatch):
    monkeypatch.setattr(type(court.device), "spins", True)
    changed = []
    go = stopwatch._go

    def watched(side, sealed, limit_s, *, long):
        before = sealed.place.clone()
        start_ns = go(side, sealed, limit_s, long=long)
        changed.append(not torch.equal(sealed.place, before))
        return start_ns

    monkeypatch.setattr(stopwatch, "_go", watched)
    found = duel(court, duel_order(solution()))
    assert not found.failures
    assert changed
    assert all(changed)
