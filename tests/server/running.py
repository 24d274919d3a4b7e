"""A real server in this process: uvicorn on a free port, a real board, fake referees."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from guard.domain.decision import Policy
from server.app import create_app
from server.bootstrap import Plugins, open_house
from server.door import Door
from server.house import House
from server.metrics import Metrics
from server.serve import take_port
from server.settings import Settings
from tests.server.fakes import FakeExecutor, FakeReferee, plugins

DEFINITION = {
    "name": "double",
    "op_type": "elementwise",
    "description": "Twice the input.",
    "axes": {"N": {"type": "var"}},
    "inputs": {"x": {"shape": ["N"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["N"], "dtype": "float32"}},
    "reference": "def run(x):\n    return 2 * x\n",
}
WORKLOADS = [
    {"uuid": f"n{size}", "axes": {"N": size}, "inputs": {"x": {"type": "random"}}}
    for size in (64, 128)
]


def write_problem(folder: Path) -> Path:
    """A folder of problems with one problem, `double`."""
    problem = folder / "double"
    problem.mkdir(parents=True)
    (problem / "definition.json").write_text(json.dumps(DEFINITION))
    lines = "\n".join(json.dumps(workload) for workload in WORKLOADS)
    (problem / "workload.jsonl").write_text(lines)
    (problem / "workload.cpu.jsonl").write_text(lines)
    return folder


def settings(tmp_path: Path) -> Settings:
    """Settings on a fresh folder and a free port."""
    problems = tmp_path / "problems"
    if not problems.exists():
        write_problem(problems)
    return Settings(db=f"sqlite:///{tmp_path / 'board.db'}", problems=problems, port=0)


@dataclass
class Running:
    """A server that answers."""

    url: str
    house: House
    executor: FakeExecutor
    metrics: Metrics = field(default_factory=Metrics)

    @property
    def referee(self) -> FakeReferee:
        """The referee of its one device."""
        return self.executor.referees[-1]

    @property
    def root(self) -> str:
        """The URL of the web application."""
        return self.url.removesuffix("/mcp")


@asynccontextmanager
async def serving(
    chosen: Settings, policy: Policy | None = None, installed: Plugins | None = None
) -> AsyncIterator[Running]:
    """Serve for the length of the block; `installed` in place of the fakes."""
    taken: socket.socket = take_port(chosen)
    chosen = chosen.with_options(port=taken.getsockname()[1])
    executor, metrics = FakeExecutor(), Metrics()
    door = Door(lambda: open_house(chosen, metrics, installed or plugins(executor), policy))
    app = create_app(chosen, door, metrics, lambda: None)
    config = uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(sockets=[taken]))
    try:
        while not server.started:
            await asyncio.sleep(0.005)
        yield Running(chosen.url, await door.enter(), executor, metrics)
    finally:
        server.should_exit = True
        await task


@asynccontextmanager
async def connected(
    running: Running, *, token: str = "", mode: str = "auto"
) -> AsyncIterator["Agent"]:
    """A real MCP client over HTTP."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30)) as http,
        Client(streamable_http_client(running.url, http_client=http), mode=mode) as client,
    ):
        yield Agent(client)


class Agent:
    """Calls tools and gives their structured content."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """An answer that is no error."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        assert result.structured_content is not None
        return result.structured_content

    async def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """An error answer."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error
        assert result.structured_content is not None
        return result.structured_content

    async def claim(self, agent: str = "ada", **more: Any) -> str:
        """A claim's id; of a strategy that all C++ follows, if it is free and none is asked for."""
        wanted = {"prefer": "fusion.one-pass", **more}
        answer = await self.call("claim_strategy", problem="double", agent=agent, **wanted)
        return str(answer["claim_id"])

    async def submit(self, claim_id: str, source: str, **more: Any) -> dict[str, Any]:
        """Hand in a solution."""
        return await self.call(
            "compile_and_verify", claim_id=claim_id, language="cpp", source=source, **more
        )
