"""The bridge for stdio clients: it joins the one server, and starts it if there is none."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import httpx2
from mcp import Client, StdioServerParameters

from memory.board import Board
from memory.engine import open_database, read_holder
from server.settings import Settings
from server.stdio import Bridge
from tests.server.processes import ROOT, holder_of
from tests.server.running import Running, connected, serving

ACCEPT = {"Accept": "application/json, text/event-stream"}


def bridge(chosen: Settings, token: str = "") -> StdioServerParameters:
    arguments = ["-m", "server", "serve", "--transport", "stdio", "--db", chosen.db]
    return StdioServerParameters(
        command=sys.executable,
        args=[*arguments, "--problems", str(chosen.problems), "--device", "cpu"],
        cwd=str(ROOT),
        env={**os.environ, "KERNELARC_TOKEN": token},
    )


async def test_a_stdio_client_joins_the_running_server_with_its_token(chosen: Settings):
    secret = made_token(chosen)
    async with serving(chosen) as running:
        async with Client(bridge(chosen, secret)) as client:
            assert len((await client.list_tools()).tools) == 10
            arguments = {"problem": "double", "agent": "piped"}
            assert not (await client.call_tool("claim_strategy", arguments)).is_error
        async with connected(running, token=secret) as agent:
            board = await agent.call("read_board", problem="double")
            assert board["boards"][0]["live_claims"][0]["held_by"] == "piped (ada)"


def made_token(chosen: Settings) -> str:
    database = open_database(chosen.db)
    secret = Board(database).add_token("ada")
    database.close()
    return secret


async def test_without_a_server_one_is_started_that_outlives_the_client(chosen: Settings):
    async with Client(bridge(chosen), mode="legacy") as client:
        listed = await client.call_tool("get_problem", {})
        assert listed.structured_content is not None
        assert listed.structured_content["problems"][0]["problem"] == "double"
    assert await asyncio.to_thread(read_holder, chosen.db)
    stop_holder(chosen)


async def test_what_is_no_message_is_answered_and_does_no_harm(running: Running, capfdbinary):
    unknown = {"jsonrpc": "2.0", "id": 7, "method": "no/such", "params": {}}
    answers = await bridged(
        running, b"no JSON", b"[1]", json.dumps(unknown).encode(), said=capfdbinary
    )
    assert sorted(str(answer["id"]) for answer in answers) == ["7", "None", "None"]
    assert all("error" in answer for answer in answers)


async def test_when_the_server_was_moved_the_bridge_finds_it_again(running: Running, capfdbinary):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    gone = "http://127.0.0.1:9/mcp"
    async with httpx2.AsyncClient(headers=ACCEPT) as http:
        there = Bridge(http, running.house.settings, gone)
        for number in (1, 2):
            there.receive(json.dumps({**call, "id": number}).encode())
            await there.leave()
    first, second = map(json.loads, capfdbinary.readouterr().out.splitlines())
    assert "call again" in first["error"]["message"]
    assert len(second["result"]["tools"]) == 10


async def bridged(running: Running, *lines: bytes, said) -> list[dict]:
    async with httpx2.AsyncClient(headers=ACCEPT) as http:
        bridge = Bridge(http, running.house.settings, running.url)
        for line in lines:
            bridge.receive(line)
        await bridge.leave()
    return [json.loads(line) for line in said.readouterr().out.splitlines()]


def stop_holder(chosen: Settings) -> None:
    """End the detached server by the process id in its lock file."""
    holder_of(chosen.db)
    folder = Path(chosen.db.removeprefix("sqlite:///")).parent
    [lock] = folder.glob("*.lock")
    pid = int(lock.read_text().split()[1])
    os.kill(pid, signal.SIGTERM)
