"""What slowed a device's clock is shown beside a benchmark, and only then."""

import pytest

from guard.domain.conditions import Conditions
from server import show
from tests.coordinator.fakes import benchmark
from tests.guard.duels import duel, pair, timing

SLOWED = Conditions(sm_clock_mhz=1700, throttle_reasons=("power cap", "thermal slowdown"))
SHOWN = [
    # what the device said of itself in one turn of two, what is shown
    pytest.param(Conditions(sm_clock_mhz=1980), None, id="nothing slowed it"),
    pytest.param(
        SLOWED,
        "the device slowed its clock: power cap in 2, thermal slowdown in 2 of 4 blocks",
        id="power and heat",
    ),
]


@pytest.mark.parametrize(("seen", "told"), SHOWN)
def test_a_benchmark_tells_what_slowed_the_clock(seen, told):
    calm = Conditions(sm_clock_mhz=1980)
    both = dict.fromkeys(("champion_conditions", "candidate_conditions"), (calm, seen))
    timed = timing("a", [0.1, 0.1]).model_copy(update=both)
    record = benchmark().model_copy(
        update={"over_champion": duel().model_copy(update={"pairs": (pair(0, timed),)})}
    )
    assert show.benchmark(record, {}, {}).get("conditions") == told
