"""Orders to a referee: tried twice, stopped, and told as one progress."""

import pytest

from coordinator.orders import Meter, Orders, Stopped
from guard.domain.errors import DeviceUnhealthy, MalformedProblem, RefereeLost, StorageFull
from guard.domain.spent import Spent
from guard.wire import Cancelled, DoctorOrder, DoctorReport, Progress, VerifyReport
from tests.coordinator.fakes import FakeReferee
from tests.guard.duels import verification

REPORT = DoctorReport(job="doctor", grade=2, layers=(), libs={})


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(RefereeLost("cpu", "it was killed"), id="raised"),
        pytest.param(DeviceUnhealthy("cpu", "its canary failed"), id="another kind"),
        pytest.param(VerifyReport(job="doctor", verification=verification("w")), id="nonsense"),
    ],
)
async def test_a_failure_of_the_house_is_tried_once_more(first):
    referee = FakeReferee()
    referee.answers = [first, REPORT]

    report = await Orders(referee).place(DoctorOrder(), DoctorReport)

    assert report == REPORT
    assert len(referee.orders) == 2


async def test_two_failures_are_raised():
    referee = FakeReferee()
    referee.answers = [RefereeLost("cpu", "one"), RefereeLost("cpu", "two"), REPORT]

    with pytest.raises(RefereeLost, match="two"):
        await Orders(referee).place(DoctorOrder(), DoctorReport)


async def test_what_the_caller_did_wrong_is_not_tried_again():
    referee = FakeReferee()
    referee.answers = [MalformedProblem("definition.json", "reference", "raises"), REPORT]

    with pytest.raises(MalformedProblem):
        await Orders(referee).place(DoctorOrder(), DoctorReport)

    assert len(referee.orders) == 1


async def test_a_job_cancelled_between_two_orders_places_no_further_one():
    referee = FakeReferee()
    orders = Orders(referee)
    referee.answers = [REPORT, REPORT]

    with orders.on_the_road("doctor", 1):
        await orders.place(DoctorOrder(), DoctorReport)
        await orders.cancel("doctor")
        # This referee knows only running orders, so it has nothing to cancel.
        referee.cancelled.clear()
        with pytest.raises(Stopped):
            await orders.place(DoctorOrder(), DoctorReport)
    await orders.place(DoctorOrder(), DoctorReport)

    assert len(referee.orders) == 2


async def test_every_order_of_a_job_is_booked_once_whatever_came_of_it():
    referee, booked = FakeReferee(), []
    orders = Orders(referee, lambda *line: booked.append(line))
    lost = RefereeLost("cpu", "one")
    lost.spent = Spent(device_s=1)
    paid = REPORT.model_copy(update={"spent": Spent(device_s=2)})
    stopped = Cancelled(job="doctor", spent=Spent(wait_s=3))
    referee.answers = [lost, paid, stopped, paid]

    with orders.on_the_road("doctor", 7):
        await orders.place(DoctorOrder(), DoctorReport)
        with pytest.raises(Stopped):
            await orders.place(DoctorOrder(), DoctorReport)
    # What belongs to no campaign is nobody's.
    await orders.place(DoctorOrder(), DoctorReport)

    assert [line[:3] for line in booked] == [(7, "doctor", "doctor")] * 3
    assert [line[3] for line in booked] == [lost.spent, paid.spent, stopped.spent]


async def test_what_cannot_be_booked_is_not_measured_again():
    def full(*_: object) -> None:
        raise StorageFull("board.db", "no space")

    referee = FakeReferee()
    referee.answers = [REPORT.model_copy(update={"spent": Spent(device_s=2)})]
    orders = Orders(referee, full)

    with orders.on_the_road("doctor", 7):
        await orders.place(DoctorOrder(), DoctorReport)

    assert len(referee.orders) == 1


async def test_progress_never_runs_backward_over_the_orders_of_a_job():
    told: list[tuple[int, int]] = []

    async def notify(progress: Progress) -> None:
        told.append((progress.done, progress.total))

    meter = Meter(notify, planned=2)
    for _ in range(3):
        tell = meter.next_stage()
        assert tell is not None
        for done in (0, 1, 2, 3):
            await tell(Progress(job="j", done=done, total=2, message=""))

    dones = [done for done, _ in told]
    assert dones == sorted(dones)
    assert told[0] == (0, 200)
    assert told[-1] == (300, 300)
    assert Meter(None, planned=2).next_stage() is None
