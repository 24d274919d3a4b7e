"""`guard.referee.timing`: turns at different clocks are timed again, on a CPU that tells clocks."""

from itertools import chain, repeat

import pytest

from guard.devices.cpu import Cpu
from guard.domain.conditions import Conditions
from guard.referee.court import Court
from guard.referee.duel import duel
from tests.guard.trials import POLICY, duel_order, solution

TURNS = 2 * POLICY.turns
SAME, APART = (1980, 1980), (1980, 1500)
SCRIPTS = [
    # clocks of both sides per turn, turns recorded, turns that count
    pytest.param([], TURNS, TURNS, id="always the same"),
    pytest.param([APART], TURNS + 1, TURNS, id="apart once"),
    pytest.param([SAME, APART, APART, SAME], TURNS + 2, TURNS, id="apart twice"),
    pytest.param([APART] * 99, TURNS + POLICY.clock_repeats, 0, id="always apart"),
]


class ClockedCpu(Cpu):
    """A CPU that tells these clocks, one after the other, then always the same one."""

    def __init__(self, script):
        self.clocks_mhz = chain(chain.from_iterable(script), repeat(1980))

    def conditions(self, identity):
        return Conditions(sm_clock_mhz=next(self.clocks_mhz))


@pytest.mark.parametrize(("script", "recorded", "counts"), SCRIPTS)
def test_a_turn_at_different_clocks_is_kept_and_timed_again(script, recorded, counts):
    device = ClockedCpu(script)
    court = Court(device, device.found()[0], pin_cpu=-1)
    try:
        found = duel(court, duel_order(solution()))
    finally:
        court.close()
    assert found.failures == ()
    ((timing,),) = (pair.workloads for pair in found.pairs)
    seen = list(zip(timing.champion_conditions, timing.candidate_conditions, strict=True))
    assert len(timing.champion_ms) == len(timing.candidate_ms) == len(seen) == recorded
    assert sum(one.sm_clock_mhz == other.sm_clock_mhz for one, other in seen) == counts


def test_a_device_that_tells_nothing_leaves_no_conditions(court):
    ((timing,),) = (pair.workloads for pair in duel(court, duel_order(solution())).pairs)
    assert timing.champion_conditions == timing.candidate_conditions == ()
    assert len(timing.champion_ms) == TURNS
