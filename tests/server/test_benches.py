"""`server.benches`: of equal devices the least loaded one; a campaign stays where it is."""

from dataclasses import replace

import pytest

from guard.domain.errors import BadValue, DeviceQuarantined, UnknownDevice
from guard.formats.sol_execbench import FORMAT
from guard.ports import DeviceIdentity
from server.bootstrap import open_house
from server.metrics import Metrics
from tests.server.fakes import FakeDevice, FakeExecutor, plugins
from tests.server.running import settings


class Several(FakeDevice):
    """A kind with two equal devices and another."""

    def found(self):
        def device(name, hardware):
            return DeviceIdentity(name=name, kind="cpu", hardware=hardware, architecture="any")

        return (device("a", "fast"), device("b", "fast"), device("c", "slow"))


@pytest.fixture
async def house(tmp_path):
    installed = replace(plugins(FakeExecutor()), devices={"cpu": Several()})
    made = open_house(settings(tmp_path), Metrics(), installed)
    yield made
    await made.close()


@pytest.fixture
def problem(house):
    return FORMAT.read(house.settings.problems / "double")


CHOICES = [
    # open orders of a, b and c; campaigns on; ill; the choice
    pytest.param((0, 0, 0), (), (), "a", id="the first of those that are equally free"),
    pytest.param((2, 1, 0), (), (), "b", id="the least loaded one of its kind"),
    pytest.param((2, 3, 0), (), (), "a", id="never another hardware"),
    pytest.param((9, 0, 0), ("a",), (), "a", id="where the campaign is"),
    pytest.param((0, 0, 0), ("b", "c"), (), "b", id="where an equal device has it"),
    pytest.param((1, 0, 0), ("a", "b"), (), "b", id="the less loaded one of two campaigns"),
    pytest.param((3, 0, 0), (), ("b",), "a", id="not one in quarantine"),
    pytest.param((3, 0, 0), (), ("a", "b"), "b", id="all in quarantine"),
]


@pytest.mark.parametrize(("loads", "taken", "ill", "chosen"), CHOICES)
async def test_an_unnamed_device_is_chosen(house, problem, loads, taken, ill, chosen):
    for name, count in zip("abc", loads, strict=True):
        house.benches.named(name).referee.open = count
    for name in ill:
        house.benches.named(name).pipeline.quarantine.begin(DeviceQuarantined(name, "ill"))
    assert house.benches.choose(problem, "", taken).device.name == chosen


async def test_a_named_device_is_taken_whatever_its_load(house, problem):
    house.benches.named("c").referee.open = 9
    assert house.benches.choose(problem, "c", ("a",)).device.name == "c"
    with pytest.raises(UnknownDevice):
        house.benches.choose(problem, "d")


async def test_what_no_device_suits_is_refused(house, problem):
    nowhere = problem.model_copy(update={"cpu_workloads": ()})
    with pytest.raises(BadValue):
        house.benches.choose(nowhere, "")
    with pytest.raises(BadValue):
        house.benches.choose(nowhere, "a")


async def test_open_orders_are_told_for_every_device(house):
    house.benches.named("b").referee.open = 2
    loads = house.benches.loads()
    assert len(loads) == 3 * 2 * 2
    assert {place: count for place, count in loads.items() if count} == {
        ("b", "device", "running"): 2
    }


async def test_a_problem_stays_where_its_campaign_is(house, problem):
    async def tell(text):
        pass

    assert await house.campaigns.places("double", "abc") == frozenset()
    entered = await house.campaigns.enter(problem, house.benches.named("b"), tell)
    assert entered is not None
    assert await house.campaigns.places("double", "abc") == {"b"}
    assert await house.campaigns.places("double", "ac") == frozenset()
    assert await house.campaigns.places("another", "abc") == frozenset()
