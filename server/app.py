"""The web application: ``/mcp``, ``/healthz``, ``/metrics``, and what guards them.

    HostGuard -> routes -> BearerGate -> short_refusals -> the SDK's transport -> tools

Stateless and streaming: a restarted server answers the next call, and progress reaches its caller.

Start at `create_app`. Not here: tools (`tools`), sockets and signals (`serve`).
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.caching import CacheHint
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from server import resources, tools
from server.auth import BearerGate
from server.door import Door
from server.errors import check_calls
from server.health import HealthLines
from server.metrics import Metrics
from server.settings import LOOPBACK, Settings
from server.web import HostGuard, short_refusals

MAX_BODY_BYTES = 2 * 2**20
TOOLS_TTL_MS = 3_600_000
THREADS = 1
"""Threads that read and write the board for the loop. Only one at a time runs Python: several would
but wait for each other, and the loop for all of them."""
INSTRUCTIONS = Path(__file__).with_name("instructions.md")


def version() -> str:
    """The installed version, or a word when it runs from a checkout."""
    try:
        return metadata.version("kernelarc")
    except metadata.PackageNotFoundError:
        return "checkout"


def create_protocol(door: Door, metrics: Metrics) -> MCPServer[Door]:
    """The MCP server with its tools and resources; it needs no house yet."""

    @contextlib.asynccontextmanager
    async def lifespan(_: MCPServer[Door]) -> AsyncIterator[Door]:
        yield door

    listed = tools.build(metrics)
    mcp = MCPServer(
        "kernelarc",
        title="KernelArc",
        version=version(),
        instructions=INSTRUCTIONS.read_text(encoding="utf-8"),
        tools=listed,
        lifespan=lifespan,
        log_level="WARNING",
        cache_hints={"tools/list": CacheHint(ttl_ms=TOOLS_TTL_MS, scope="private")},
        middleware=[check_calls(listed, metrics)],
    )
    resources.register(mcp, door)
    return mcp


def create_app(
    settings: Settings, door: Door, metrics: Metrics, failed: Callable[[], None]
) -> ASGIApp:
    """The whole application; `failed` is called when the house cannot be built."""
    mcp = create_protocol(door, metrics)
    transport = mcp.streamable_http_app(
        stateless_http=True,
        json_response=False,
        max_request_body_size=MAX_BODY_BYTES,
        # `HostGuard` stands before every route, so the SDK's own check would only differ from it.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        readers = ThreadPoolExecutor(THREADS, thread_name_prefix="board")
        asyncio.get_running_loop().set_default_executor(readers)
        door.open(failed)
        watching = asyncio.create_task(metrics.lag.watch(), name="watch the loop")
        # A mounted app's own lifespan never runs.
        async with mcp.session_manager.run():
            try:
                yield
            finally:
                watching.cancel()
                await door.close()

    app = Starlette(
        # The mount comes last: it matches every path.
        routes=[
            *_pages(door, metrics),
            Mount("/", app=BearerGate(short_refusals(transport), door)),
        ],
        lifespan=lifespan,
    )
    return HostGuard(app, {*LOOPBACK, settings.host, *settings.allowed_hosts})


def _pages(door: Door, metrics: Metrics) -> list[Route]:
    lines = HealthLines()

    async def healthz(_: Request) -> JSONResponse:
        house = door.house
        told = {"ready": house is not None, "version": version()}
        if house is not None:
            # Still 200: the board, and every other device, are served all the same.
            told["quarantined"] = house.benches.quarantined()
        return JSONResponse(told, 200 if house is not None else 503)

    async def counted(_: Request) -> PlainTextResponse:
        house = door.house
        if house is None:
            empty = metrics.text(ready=False, running=0, quarantined={}, orders={})
            return PlainTextResponse(empty)
        healthy = dict.fromkeys((device.name for device in house.benches.devices()), 0)
        quarantined = healthy | dict.fromkeys(house.benches.quarantined(), 1)
        page = metrics.text(
            ready=True,
            running=house.jobs.running,
            quarantined=quarantined,
            orders=house.benches.loads(),
            health=await asyncio.to_thread(lines.read, house.database),
        )
        return PlainTextResponse(page)

    async def not_streamed(_: Request) -> PlainTextResponse:
        # The stateless transport would hold an idle stream that nothing is ever sent on.
        return PlainTextResponse("Only POST is served here.\n", 405, {"Allow": "POST"})

    return [
        Route("/healthz", healthz),
        Route("/metrics", counted),
        Route("/mcp", not_streamed, methods=["GET", "DELETE"]),
    ]
