"""`coordinator.quarantine`: refused while a canary fails, and let in again by itself."""

import asyncio
import time

import pytest

from coordinator.quarantine import Quarantine
from guard.domain.errors import DeviceQuarantined, RefereeLost
from guard.wire import DoctorOrder, DoctorReport
from memory import views
from memory.records import JobState
from tests.coordinator.fakes import FakeReferee
from tests.coordinator.road import Road

WELL = DoctorReport(job="canary", grade=3, layers=(), libs={})
SICK = WELL.model_copy(update={"canary": "its canary came out wrong"})
LIMIT_S = 10.0


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    monkeypatch.setattr("coordinator.quarantine.PAUSES_S", (0.01,))


def error():
    return DeviceQuarantined("cpu", "its canary came out wrong")


async def over(quarantine):
    deadline = time.monotonic() + LIMIT_S
    while quarantine.reason:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)
    quarantine.check()


LOOKS = [
    # what a referee answers to the looks, in turn
    pytest.param([WELL], id="well at once"),
    pytest.param([SICK, SICK, WELL], id="well at the third look"),
    pytest.param([RefereeLost("cpu", "it ended"), WELL], id="a lost referee in between"),
    pytest.param([OSError("no more processes"), WELL], id="no process in between"),
]


@pytest.mark.parametrize("answers", LOOKS)
async def test_it_ends_by_the_first_canary_that_passes(answers):
    referee = FakeReferee()
    referee.answers = list(answers)
    quarantine = Quarantine(referee)
    quarantine.begin(error())
    with pytest.raises(DeviceQuarantined, match="came out wrong") as refused:
        quarantine.check()
    assert refused.value.retryable
    await over(quarantine)
    assert [type(order) for order in referee.orders] == [DoctorOrder] * len(answers)


async def test_a_referee_that_hangs_is_closed_and_asked_anew(monkeypatch):
    monkeypatch.setattr("coordinator.quarantine.LOOK_S", 0.05)
    referee, closed = FakeReferee(), asyncio.Event()

    async def hang(order):
        if not closed.is_set():
            await asyncio.sleep(LIMIT_S)

    async def close():
        closed.set()

    referee.before, referee.close, referee.answers = hang, close, [WELL]
    quarantine = Quarantine(referee)
    quarantine.begin(error())
    await over(quarantine)
    assert closed.is_set()


async def test_closing_ends_the_looking():
    referee = FakeReferee()
    quarantine = Quarantine(referee)
    await quarantine.close()
    quarantine.begin(error())
    await quarantine.close()
    assert quarantine.reason


async def test_a_job_on_a_sick_device_is_lost_and_charged_to_nobody(road: Road, monkeypatch):
    monkeypatch.setattr("coordinator.quarantine.PAUSES_S", (LIMIT_S,))
    claim = road.claim()
    first, second = road.verified(claim, 0.3), road.verified(claim, 0.4)
    road.referee.answers = [error()]
    for job in (first, second):
        with pytest.raises(DeviceQuarantined):
            await road.pipeline.benchmark(job)
        state, reason = road.state(job)
        assert (state, "came out wrong" in reason) == (JobState.LOST, True)
    # The second was refused before the referee heard of it, and so was the repeat of the first.
    assert len(road.referee.orders) == 1
    assert views.benchmarks_of_claim(road.database, claim.id) == ()
    await road.pipeline.quarantine.close()
