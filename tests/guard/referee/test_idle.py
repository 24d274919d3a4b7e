"""`guard.referee.idle`: whose work keeps the device busy, with real processes on a stub device."""

import psutil
import pytest

from guard.devices.cpu import Cpu
from guard.domain.errors import DeviceUnhealthy
from guard.referee import idle
from guard.referee.court import Court
from guard.referee.duel import sides
from guard.referee.idle import check_idle
from guard.referee.sides import SideFailed
from tests.guard.trials import POLICY, problem, solution


class BusyCpu(Cpu):
    """Busy while one of these processes exists."""

    def __init__(self) -> None:
        self.busy_with: set[int] = set()

    def is_idle(self) -> bool:
        return not any(psutil.pid_exists(pid) for pid in self.busy_with)


@pytest.fixture
def device(monkeypatch):
    monkeypatch.setattr(idle, "WAIT_S", 0.2)
    return BusyCpu()


@pytest.fixture
def both(device):
    court = Court(device, device.found()[0], pin_cpu=-1)
    with sides(court, (solution(), solution()), problem(), POLICY) as loaded:
        yield loaded
    court.close()


def test_an_idle_device_disturbs_nobody(both):
    check_idle(both)
    assert [side.runner.ended for side in both] == [None, None]


@pytest.mark.parametrize("guilty", [0, 1])
def test_whose_end_brings_rest_is_refused(device, both, guilty):
    device.busy_with = {both[guilty].runner.pid}
    with pytest.raises(SideFailed, match="still running on the device") as caught:
        check_idle(both)
    assert caught.value.side is both[guilty]


def test_a_stranger_on_the_device_is_nobodys_fault(device, both):
    device.busy_with = {1}
    with pytest.raises(DeviceUnhealthy, match="another process"):
        check_idle(both)
