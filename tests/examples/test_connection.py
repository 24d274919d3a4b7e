import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.stage import free_port
from examples.team.connection import Connection, ServerGone
from examples.team.journal import Journal, JournalReader

SERVER = Path(__file__).parent / "small_server.py"


class Servers:
    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        command = [sys.executable, str(SERVER), str(self.port)]
        quiet = subprocess.DEVNULL
        self.started.append(subprocess.Popen(command, stdout=quiet, stderr=quiet))

    def kill(self) -> None:
        self.started[-1].kill()
        self.started[-1].wait()


@pytest.fixture
def servers() -> Iterator[Servers]:
    kept = Servers()
    yield kept
    for process in kept.started:
        process.kill()
        process.wait()


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    kept = Journal(tmp_path / "ada.jsonl", "ada")
    yield kept
    kept.close()


async def test_a_call_outlives_a_late_server_and_one_that_is_killed_in_the_middle(
    servers: Servers, journal: Journal, tmp_path: Path
) -> None:
    connection = Connection(servers.url, journal, outage_s=30)
    early = asyncio.create_task(connection.call("slow", wait_s=0.01))
    await asyncio.sleep(0.3)
    servers.start()
    assert (await early).facts == {"waited_s": 0.01}

    # Long enough to be killed in the middle, short enough to end after the restart.
    cut = asyncio.create_task(connection.call("slow", wait_s=1.5))
    await asyncio.sleep(0.7)
    servers.kill()
    servers.start()
    assert (await cut).facts == {"waited_s": 1.5}

    entries = list(JournalReader(tmp_path).news())
    assert [e["tool"] for e in entries if e["event"] == "reply"] == ["slow", "slow"]
    assert any(e["event"] == "connection lost" for e in entries)


async def test_a_retryable_refusal_is_asked_again(servers: Servers, journal: Journal) -> None:
    servers.start()
    reply = await Connection(servers.url, journal, outage_s=30).call("busy_twice")
    assert (reply.refused, reply.facts) == (False, {"state": "done"})


async def test_a_server_that_stays_away_is_given_up(servers: Servers, journal: Journal) -> None:
    with pytest.raises(ServerGone, match="no answer from"):
        await Connection(servers.url, journal, outage_s=0.2).call("slow", wait_s=0)
