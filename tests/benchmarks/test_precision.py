import math

import pytest

from benchmarks.precision import by_workload, errors
from guard.domain.trace import ProcessPair, WorkloadTiming


def timing(workload, champion_ms, candidate_ms):
    return WorkloadTiming(
        workload=workload, champion_ms=champion_ms, candidate_ms=candidate_ms, calls=4, mode="host"
    )


def test_errors_are_told_over_pairs():
    found = errors([timing("a", (1.0,), (1.0,)), timing("a", (1.1,), (1.0,))])
    apart = math.log(1.1)
    assert found.pairs == 2
    assert found.worst == pytest.approx(apart)
    assert found.mean == pytest.approx(apart / 2)
    assert found.sd == pytest.approx(apart / math.sqrt(2))
    assert found.latency_us == pytest.approx(1025)


def test_a_single_pair_has_no_spread():
    found = errors([timing("a", (1.0,), (1.0,))])
    assert (found.sd, found.mean_error) == (None, None)


def test_timings_are_gathered_by_workload():
    pair = ProcessPair(
        swapped=False, workloads=(timing("a", (1.0,), (1.0,)), timing("b", (2.0,), (2.0,)))
    )
    assert [[t.workload for t in group] for group in by_workload([pair, pair])] == [
        ["a", "a"],
        ["b", "b"],
    ]
