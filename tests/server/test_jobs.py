"""Jobs belong to the server: nothing but a cancel ends them."""

import asyncio

import httpx2

from memory import views
from server.settings import Settings
from tests.server.running import Running, connected, serving

ACCEPT = {"Accept": "application/json, text/event-stream"}


def call(claim_id: str, source: str, wait_s: float) -> dict:
    arguments = {"claim_id": claim_id, "language": "cpp", "source": source, "wait_s": wait_s}
    params = {"name": "compile_and_verify", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


async def test_a_call_that_does_not_wait_gives_a_job_to_wait_for(running: Running):
    async with connected(running) as agent:
        answer = await agent.submit(await agent.claim(), "slow 0.3 gain 0.2", wait_s=0)
        assert answer["state"] in ("queued", "running")
        assert answer["job_id"] in answer["next"]
        waited = await agent.call("job_wait", job_ids=[answer["job_id"]], wait_s=10)
        assert waited["verdict"] == "correct on all 2 workloads"


async def test_a_waiting_caller_hears_of_progress(running: Running, monkeypatch):
    monkeypatch.setattr("server.jobs.TELL_EVERY_S", 0.05)
    heard: list[tuple[float, str]] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message or ""))

    async with connected(running) as agent:
        arguments = {
            "claim_id": await agent.claim(),
            "language": "cpp",
            "source": "slow 0.4 gain 0.2",
        }
        await agent.client.call_tool("compile_and_verify", arguments, progress_callback=listen)
    # A busy host may tell of it while it is still queued.
    assert any(message.startswith("working") for _, message in heard)
    assert [p for p, _ in heard] == sorted({p for p, _ in heard})


async def test_a_caller_that_drops_its_connection_cancels_nothing(running: Running):
    async with connected(running) as agent:
        claim_id = await agent.claim()
        async with httpx2.AsyncClient(headers=ACCEPT) as http:
            sending = asyncio.create_task(
                http.post(running.url, json=call(claim_id, "slow 0.6 gain 0.2", 45))
            )
            while not await asyncio.to_thread(views.open_jobs, running.house.database):
                await asyncio.sleep(0.02)
            sending.cancel()
            await asyncio.wait({sending})
        [job] = await asyncio.to_thread(views.open_jobs, running.house.database)
        waited = await agent.call("job_wait", job_ids=[job.id], wait_s=10)
        assert waited["state"] == "done"
        assert running.referee.cancelled == []


async def test_a_cancel_ends_the_work_and_a_repeat_starts_a_new_job(running: Running):
    async with connected(running) as agent:
        claim_id = await agent.claim()
        first = await agent.submit(claim_id, "slow 30 gain 0.2", wait_s=0)
        answer = await agent.call("job_cancel", job_id=first["job_id"])
        assert (answer["cancelled"], answer["state"]) == (True, "cancelled")
        assert running.referee.cancelled == [first["job_id"]]
        assert running.house.jobs.running == 0
        again = await agent.submit(claim_id, "slow 30 gain 0.2", wait_s=0)
        assert again["submission_id"] == first["submission_id"]
        assert again["job_id"] != first["job_id"]
        await agent.call("job_cancel", job_id=again["job_id"])


async def test_a_restarted_server_runs_open_jobs_again(chosen: Settings):
    async with serving(chosen) as running, connected(running) as agent:
        answer = await agent.submit(await agent.claim(), "slow 1 gain 0.2", wait_s=0)
        while running.house.jobs.said(answer["job_id"]) in ("", "queued"):
            await asyncio.sleep(0.01)
    async with serving(chosen) as running, connected(running) as agent:
        waited = await agent.call("job_wait", job_ids=[answer["job_id"]], wait_s=10)
        assert waited["verdict"] == "correct on all 2 workloads"


async def test_a_job_that_was_running_at_two_stops_is_lost_with_the_reason(chosen: Settings):
    async with serving(chosen) as running, connected(running) as agent:
        answer = await agent.submit(await agent.claim(), "slow 30 gain 0.2", wait_s=0)
        while running.house.jobs.said(answer["job_id"]) in ("", "queued"):
            await asyncio.sleep(0.01)
    async with serving(chosen) as running:
        while running.house.jobs.said(answer["job_id"]) in ("", "queued"):
            await asyncio.sleep(0.01)
    async with serving(chosen) as running, connected(running) as agent:
        waited = await agent.call("job_wait", job_ids=[answer["job_id"]])
        assert waited["state"] == "lost"
        assert waited["reason"] == "the server stopped 2 times while it was running"


async def test_two_benchmarks_of_one_submission_are_one_job(running: Running):
    async with connected(running) as one, connected(running) as two:
        await one.submit(await one.claim(), "gain 0.2")
        answers = await asyncio.gather(
            one.call("benchmark", submission_id=1), two.call("benchmark", submission_id=1)
        )
        assert len({answer["job_id"] for answer in answers}) == 1
