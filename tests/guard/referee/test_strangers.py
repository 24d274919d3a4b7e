"""`guard.referee.strangers`: waiting for others to leave, on a CPU that tells of them."""

import os
import subprocess
import sys

import pytest

from guard.devices.cpu import Cpu
from guard.processes import family
from guard.referee import strangers
from guard.referee.court import Court, OrderCancelled
from guard.referee.duel import duel
from tests.guard.trials import POLICY, duel_order, solution


class SharedCpu(Cpu):
    """A CPU that tells these counts one after the other, the last one for ever."""

    def __init__(self, *counts):
        self.counts = list(counts)
        self.asked_of = []

    def strangers(self, identity, own):
        self.asked_of.append(own)
        return self.counts.pop(0) if len(self.counts) > 1 else self.counts[0]


@pytest.fixture
def court_of(monkeypatch):
    monkeypatch.setattr(strangers, "PAUSE_S", 0.01)
    opened = []

    def of(*counts):
        device = SharedCpu(*counts)
        opened.append(Court(device, device.found()[0], pin_cpu=-1))
        return opened[-1]

    yield of
    for court in opened:
        court.close()


WAITS = [
    # counts one after the other, limit, what is left
    pytest.param([0], 60, 0, id="nobody is there"),
    pytest.param([None], 60, None, id="it cannot be told"),
    pytest.param([2, 1, 0], 60, 0, id="they leave"),
    pytest.param([2], 0.05, 2, id="they stay"),
    pytest.param([2], 0, 2, id="no time to wait"),
]


@pytest.mark.parametrize(("counts", "limit_s", "left"), WAITS)
def test_a_duel_waits_until_nobody_is_left_or_the_time_is_over(court_of, counts, limit_s, left):
    assert strangers.wait(court_of(*counts), limit_s) == left


def test_who_waits_says_so_and_can_be_cancelled(court_of):
    court, said = court_of(3), []

    def progress(done, total, message):
        said.append(message)
        court.cancel()

    court.progress = progress
    with pytest.raises(OrderCancelled):
        strangers.wait(court, 60)
    assert said == ["waiting for other processes to leave the device: 3"]


@pytest.mark.parametrize(
    ("counts", "seen"),
    [
        pytest.param([0], 0, id="nobody"),
        pytest.param([0, 2], 2, id="who comes while it is timed"),
        pytest.param([None], None, id="it cannot be told"),
    ],
)
def test_a_process_pair_holds_how_many_there_were(court_of, counts, seen):
    court = court_of(*counts)
    order = duel_order(solution())
    found = duel(court, order)
    assert [pair.strangers for pair in found.pairs] == [seen]
    assert found.strangers == (seen or 0)


def test_only_the_first_pair_waits(court_of):
    order = duel_order(solution(), first_pair=1)
    assert order.policy.stranger_wait_s == POLICY.stranger_wait_s > 0
    court = court_of(1)
    assert duel(court, order).strangers == 1
    assert len(court.device.asked_of) == 2


def test_a_family_is_a_process_with_all_below_it():
    nested = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen([sys.executable, "-c", nested], stdin=subprocess.PIPE) as child:
        while len(family(child.pid)) < 2:
            assert child.poll() is None
        assert family(child.pid) < family(os.getpid())
        child.communicate(b"\n", timeout=60)
    assert family(child.pid) == {child.pid}
