import math

import pytest

from benchmarks._growth import GROWTH_BYTES, GROWTH_FDS, Held, grown
from benchmarks._scrape import between, buckets_of, percentile_s
from benchmarks._visitor import Pace
from server.lag import Lag
from server.metrics import Metrics

MIB = 2**20


def page(*late_s: float) -> str:
    metrics = Metrics()
    for one in late_s:
        metrics.lag.note(one)
    return metrics.text(ready=True, running=0, quarantined={}, orders={})


def test_the_servers_own_page_is_read():
    buckets = buckets_of(page(0.002, 0.04, 9.0))
    assert buckets[0.001] == 0
    assert buckets[0.0025] == 1
    assert buckets[0.05] == 2
    assert buckets[math.inf] == 3
    assert buckets.keys() == buckets_of("\n".join(Lag().lines())).keys()


def test_percentiles_lie_within_their_bucket():
    found = between(buckets_of(page(0.3)), buckets_of(page(0.3, *[0.002] * 98, 0.04, 9.0)))
    assert percentile_s(found, 49) == pytest.approx(0.001 + 0.0015 * 49 / 98)
    assert percentile_s(found, 99) == pytest.approx(0.05)
    assert percentile_s(found, 100) == math.inf
    assert percentile_s({}, 99) == 0


@pytest.mark.parametrize(
    ("bytes_", "fds", "expected"),
    [
        pytest.param(GROWTH_BYTES, 0, [], id="no more than noise"),
        pytest.param(GROWTH_BYTES + MIB, 0, ["server: 25.0 MiB"], id="memory"),
        pytest.param(0, GROWTH_FDS + 1, [f"server: {GROWTH_FDS + 1} descriptors"], id="files"),
    ],
)
def test_growth_is_told_once_the_run_is_warm(bytes_, fds, expected):
    # What the first quarter took is no growth.
    looks = [(0, 0), (0, 0), (MIB, 10), (MIB, 10), *[(MIB + bytes_, 10 + fds)] * 4]
    steady = Held(MIB, 10)
    assert grown([{"server": Held(*one), "referee": steady} for one in looks]) == expected


def test_somebody_passes_once_it_is_time():
    assert not Pace(3600).passes()
    assert Pace(0).passes()
