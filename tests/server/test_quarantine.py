"""A device that fails its canary, through the real door: nothing is judged or charged there."""

import asyncio
import time
from dataclasses import replace

import httpx2
import pytest

from guard.devices.cpu import DEVICE
from guard.domain.decision import Policy
from guard.domain.solution import Solution, Source
from guard.domain.trace import Baseline
from guard.executors.local import Local, LocalReferee
from memory import views
from memory.board import Board
from memory.engine import open_database
from server.bootstrap import load_plugins
from server.doctor import examine
from server.settings import Settings
from tests.guard import sick_referee
from tests.server.running import Running, connected, serving

POLICY = Policy(first_call_limit_s=20, lane_after=1)
CRASHES = "import os\ndef run(x, y):\n    os.abort()\n"
RIGHT = "def run(x, y):\n    y.copy_(2 * x)\n"
RECOVERY_S = 60.0
ILLNESSES = [
    # what ails it, part of the reason
    pytest.param("divides", "came out wrong in a fresh runner", id="wrong in another process"),
    pytest.param("hangs", "did not come back within 3 s", id="hangs"),
]


class SickExecutor(Local):
    """Referees whose device can fall ill."""

    def open(self, device, environment):
        return LocalReferee(device, "tests.guard.sick_referee", environment=environment)


@pytest.fixture
def illness(tmp_path, monkeypatch):
    path = tmp_path / "illness"
    monkeypatch.setenv(sick_referee.FILE, str(path))
    monkeypatch.setattr("coordinator.quarantine.PAUSES_S", (0.1,))
    return path


@pytest.fixture
def installed():
    real = load_plugins()
    cpu = {"cpu": real.devices["cpu"]}
    return replace(real, devices=cpu, executors={"local": SickExecutor()})


@pytest.fixture
def campaign(chosen: Settings, installed):
    """A campaign whose baseline nobody has to measure."""
    problem = installed.formats["sol_execbench"].read(chosen.problems / "double")
    source = Source(path="baseline.py", content=RIGHT)
    solution = Solution(definition="double", language="pytorch", sources=(source,))
    latency_ms = {w.uuid: 1.0 for w in problem.cpu_workloads}
    baseline = Baseline(kind="eager", solution=solution, latency_ms=latency_ms, contenders={})
    database = open_database(chosen.db)
    hardware = DEVICE.found()[0].hardware
    started = Board(database).start_campaign(problem, "cpu", hardware, POLICY, baseline)
    database.close()
    return started


async def healthz(running: Running) -> dict[str, object]:
    async with httpx2.AsyncClient() as http:
        response = await http.get(running.root + "/healthz")
    assert response.status_code == 200
    return response.json()


async def recovered(running: Running) -> None:
    deadline = time.monotonic() + RECOVERY_S
    while (await healthz(running))["quarantined"]:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


@pytest.mark.parametrize(("ails", "reason"), ILLNESSES)
async def test_a_sick_device_is_quarantined_and_comes_back(
    chosen: Settings, campaign, installed, illness, ails: str, reason: str
):
    async with serving(chosen, POLICY, installed) as running, connected(running) as agent:
        mine = {"claim_id": await agent.claim(), "language": "pytorch", "wait_s": 200}
        assert (await healthz(running))["quarantined"] == {}
        illness.write_text(ails)
        lost = await agent.call("compile_and_verify", **mine, source=CRASHES)
        assert (lost["state"], reason in lost["reason"]) == ("lost", True), lost
        assert "Nothing is charged" in lost["next"]

        told = await healthz(running)
        assert reason in told["quarantined"]["cpu"]
        (device,) = (await agent.call("get_problem", problem="double"))["devices"]
        assert reason in device["quarantined"]
        for tool, arguments in (
            ("claim_strategy", {"problem": "double", "agent": "bob"}),
            ("compile_and_verify", {**mine, "source": RIGHT}),
        ):
            refused = await agent.refused(tool, **arguments)
            assert refused["code"] == "device_quarantined"
            assert refused["retryable"] is True and refused["retry_after_s"] > 0
            assert reason in refused["message"] and "charged" in refused["hint"]

        illness.unlink()
        await recovered(running)
        judged = await agent.call("compile_and_verify", **mine, source=CRASHES)
        assert {w["status"] for w in judged["workloads"]} == {"RUNTIME_ERROR"}
        assert judged["submission_id"] == lost["submission_id"]
        right = await agent.call("compile_and_verify", **mine, source=RIGHT)
        assert right["verdict"].startswith("correct on all 2 workloads")
        assert views.benchmarks(running.house.database, campaign.id) == ()
        assert (await agent.call("claim_strategy", problem="double", agent="ada"))["plateau"] == (
            "0 of 3 candidates in a row without progress"
        )


def test_the_doctor_says_what_ails_a_device(chosen: Settings, installed, illness, capsys):
    illness.write_text("divides")
    examine(chosen, as_json=False, installed=installed)
    assert "not healthy: its canary came out wrong in a fresh runner" in capsys.readouterr().out
