"""Every fault once, from four agents at once, through a real server: a short soak."""

from benchmarks.fault_soak import HONEST_EVERY, soak
from benchmarks.faults import FAULTS

AGENTS = 4


def test_faults_of_several_agents_are_told_apart_and_leave_nothing(tmp_path):
    outcome = soak(len(FAULTS), AGENTS, tmp_path)
    assert outcome.troubles() == []
    assert outcome.right == len(FAULTS)
    # Whoever takes what: at most the last few of each agent lack their honest one.
    assert outcome.honest >= len(FAULTS) // HONEST_EVERY - (AGENTS - 1)
