"""What lies in the slots before "go" is not what was drawn, and afterwards it is."""

import pytest
import torch

from guard.domain.decision import Policy
from guard.referee import stopwatch
from guard.referee.duel import duel, sides
from guard.referee.reference import Reference
from guard.referee.seals import seal
from guard.referee.timing import time_workload
from tests.guard.referee.test_slots import slots
from tests.guard.trials import POLICY, duel_order, problem, solution


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
        places.add(sealed.places[0].storage_offset())
        sealed.lift()
    assert len(places) > 1


def test_a_runner_that_is_awake_has_wrong_inputs_before_it(court, monkeypatch):
    monkeypatch.setattr(type(court.device), "spins", True)
    changed = []
    go = stopwatch._go

    def watched(side, sealed, limit_s, *, long):
        (place,) = sealed.places
        before = place.clone()
        start_ns = go(side, sealed, limit_s, long=long)
        changed.append(not torch.equal(place, before))
        return start_ns

    monkeypatch.setattr(stopwatch, "_go", watched)
    found = duel(court, duel_order(solution()))
    assert not found.failures
    assert changed
    assert all(changed)


def test_every_input_is_sealed():
    made = slots(rows=40, columns=50)
    made.refresh(range(3), 5)
    drawn = [tensor.clone() for tensor in made.inputs(1)]
    sealed = seal(made, range(3))
    assert not any(map(torch.equal, made.inputs(1), drawn))
    sealed.lift()
    assert all(map(torch.equal, made.inputs(1), drawn))


def test_an_input_of_one_element_cannot_be_sealed():
    made = slots(rows=40, columns=1)
    assert len(seal(made, [0]).places) == 1
    made = slots(rows=1, columns=1)
    made.refresh([0], 5)
    seal(made, [0]).lift()


def test_who_stirred_leaves_the_inputs_as_they_were_drawn(court, monkeypatch):
    monkeypatch.setattr(type(court.device), "spins", True)
    task = problem()
    with sides(court, (solution(), solution()), task, POLICY) as both:
        given = (court, both, task, task.cpu_workloads[0], Reference(task.definition), POLICY)
        plan = time_workload(*given).plan
        side = both[0]
        drawn = side.slots.inputs(plan.long[0])[0].clone()
        side.runner._used_ns = 0
        with pytest.raises(stopwatch.Stirred):
            stopwatch.block(side, plan, POLICY.call_limit_s, long=True)
        assert torch.equal(side.slots.inputs(plan.long[0])[0], drawn)


def test_what_a_runner_may_do_before_go_is_short_beside_a_block():
    shortest_ms = min(Policy().block_ms, Policy().host_block_ms)
    assert shortest_ms / 2 >= stopwatch.WAKING_NS / 1e6
