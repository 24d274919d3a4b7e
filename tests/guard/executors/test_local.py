"""`guard.executors.local`: the server's end of a referee; nobody waits for a dead one."""

import asyncio
import os

import psutil
import pytest

from guard.devices.cpu import DEVICE
from guard.domain.errors import DeviceBusy, DeviceUnhealthy, MalformedProblem, RefereeLost
from guard.executors.local import EXECUTOR, revived
from guard.wire import Cancelled, DoctorOrder, Trouble, VerifyOrder, VerifyReport
from tests.guard.trials import POLICY, duel_order, problem, solution

ENDLESS = VerifyOrder(
    job="endless",
    problem=problem(),
    solution=solution("def run(x, y):\n    while True:\n        pass\n"),
    policy=POLICY.model_copy(update={"first_call_limit_s": 300}),
)
# Refused before any runner is started.
REFUSED = duel_order(solution()).model_copy(
    update={"problem": problem(reference="raise ValueError\ndef run(x):\n    return x\n")}
)
LIMIT_S = 60


@pytest.fixture
async def referee():
    made = EXECUTOR.open(DEVICE.found()[0])
    yield made
    await asyncio.wait_for(made.close(), LIMIT_S)


def processes():
    """The referees below this process."""
    found = psutil.Process().children()
    return [p for p in found if "guard.referee.main" in p.cmdline()]


async def test_an_order_is_answered_with_its_progress_and_can_be_cancelled(referee):
    order = ENDLESS.model_copy(update={"job": "right", "solution": solution()})
    told = []

    async def listen(progress):
        told.append((progress.job, progress.message))

    report = await asyncio.wait_for(referee.ask(order, listen), LIMIT_S)
    assert isinstance(report, VerifyReport)
    assert report.verification.passed
    assert told[0] == ("right", "compiling")

    checking = asyncio.Event()

    async def notice(progress):
        if "checking" in progress.message:
            checking.set()

    waiting = asyncio.Event()

    async def wait(progress):
        waiting.set()

    asked = asyncio.create_task(referee.ask(ENDLESS, notice))
    await asyncio.wait_for(checking.wait(), LIMIT_S)
    queued = asyncio.create_task(referee.ask(DoctorOrder(job="queued"), wait))
    await asyncio.wait_for(waiting.wait(), LIMIT_S)
    await referee.cancel("queued")
    await referee.cancel("endless")
    ended = [await asyncio.wait_for(one, LIMIT_S) for one in (asked, queued)]
    assert [one.job for one in ended if isinstance(one, Cancelled)] == ["endless", "queued"]
    # Who was never begun has only waited.
    assert ended[0].spent.device_s > 0 == ended[1].spent.device_s
    (process,) = processes()
    below = process.children(recursive=True)
    await asyncio.wait_for(referee.close(), LIMIT_S)
    gone, alive = psutil.wait_procs([process, *below], timeout=LIMIT_S)
    assert alive == []
    assert process in gone


async def test_a_lost_referee_is_told_and_replaced(referee):
    with pytest.raises(MalformedProblem):
        await asyncio.wait_for(referee.ask(REFUSED), LIMIT_S)
    (process,) = processes()
    asked = asyncio.create_task(referee.ask(ENDLESS))
    await asyncio.sleep(0.1)
    process.kill()
    with pytest.raises(RefereeLost):
        await asyncio.wait_for(asked, LIMIT_S)
    with pytest.raises(MalformedProblem):
        await asyncio.wait_for(referee.ask(REFUSED), LIMIT_S)
    (second,) = processes()
    assert second.pid != process.pid


@pytest.mark.parametrize("error", [ConnectionError, RuntimeError])
async def test_a_listener_that_fails_keeps_nobody_waiting(error):
    referee = EXECUTOR.open(DEVICE.found()[0])

    async def fail(progress):
        raise error("the client has gone")

    order = ENDLESS.model_copy(update={"job": "right", "solution": solution()})
    # Its own asker may see the failure, or the report; never silence.
    finished, waiting = await asyncio.wait(
        [asyncio.create_task(referee.ask(order, fail))], timeout=30
    )
    for task in waiting:
        task.cancel()
    await asyncio.gather(referee.close(), *waiting, return_exceptions=True)
    assert waiting == set()
    assert all(isinstance(t.exception(), error | RefereeLost | None) for t in finished)


async def test_open_orders_are_counted_by_lane_and_state(referee):
    checking = asyncio.Event()
    waiting = asyncio.Event()

    async def notice(progress):
        if "checking" in progress.message:
            checking.set()

    async def wait(progress):
        waiting.set()

    assert referee.load() == {}
    asked = asyncio.create_task(referee.ask(ENDLESS, notice))
    await asyncio.sleep(0)
    assert referee.load() == {("compile", "waiting"): 1}
    await asyncio.wait_for(checking.wait(), LIMIT_S)
    queued = asyncio.create_task(referee.ask(DoctorOrder(job="queued"), wait))
    await asyncio.wait_for(waiting.wait(), LIMIT_S)
    assert referee.load() == {("device", "running"): 1, ("device", "waiting"): 1}
    await referee.cancel("queued")
    await referee.cancel("endless")
    await asyncio.wait_for(asyncio.gather(asked, queued), LIMIT_S)
    assert referee.load() == {}


async def test_cancelling_what_nobody_asked_does_nothing(referee):
    await referee.cancel("none")
    assert processes() == []


async def test_closing_before_the_first_order_does_nothing(referee):
    await referee.close()
    await referee.close()
    assert processes() == []


def test_a_referee_is_given_no_token_and_no_foreign_gpu(monkeypatch):
    monkeypatch.setenv("KERNELARC_TOKEN", "secret")
    environment = EXECUTOR.open(DEVICE.found()[0])._environment()
    assert "secret" not in environment.values()
    assert environment["CUDA_VISIBLE_DEVICES"] == ""
    assert environment["PATH"] == os.environ["PATH"]


def test_folders_of_the_settings_reach_a_referee_and_only_those(monkeypatch):
    monkeypatch.setenv("KERNELARC_INCLUDE", "/from/elsewhere")
    given = {"KERNELARC_PYTHON": "/opt/packages"}
    environment = EXECUTOR.open(DEVICE.found()[0], given)._environment()
    assert environment["KERNELARC_PYTHON"] == "/opt/packages"
    assert "KERNELARC_INCLUDE" not in environment


CODES = [
    pytest.param("device_unhealthy", DeviceUnhealthy, id="device unhealthy"),
    pytest.param("device_busy", DeviceBusy, id="device busy"),
    pytest.param("malformed_problem", MalformedProblem, id="malformed problem"),
    pytest.param("no_such_error", RefereeLost, id="unknown"),
]


@pytest.mark.parametrize(("code", "expected"), CODES)
def test_trouble_comes_back_as_its_own_class(code, expected):
    error = revived(Trouble(job="j", code=code, message="what happened"))
    assert type(error) is expected
    assert error.message == "what happened"


def test_it_is_always_available():
    assert EXECUTOR.unavailable() is None
