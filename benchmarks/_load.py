"""Clients that call one tool again and again, through the SDK or as bare HTTP, on either era.

    (server, tool, era) -> connected clients -> Load

A bare client writes the same bytes each time and reads no more of the answer than whether it is a
result: what is left is the server's part. Start at `connected`, then `load`. Not here: which tools
are compared (`mcp_overhead`).
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from mcp import Client

Ask = Callable[[], Awaitable[None]]
"""One call of the tool."""
META = "io.modelcontextprotocol"


class Era(StrEnum):
    """The newest protocol version of each era."""

    MODERN = "2026-07-28"
    HANDSHAKE = "2025-11-25"


class How(StrEnum):
    """What kind of client calls."""

    SDK = "sdk"
    BARE = "bare"


class Target(NamedTuple):
    """A tool of a server."""

    url: str
    tool: str
    arguments: Mapping[str, Any]


class Load(NamedTuple):
    """What some calls took."""

    latencies_s: Sequence[float]
    took_s: float


class NoResult(Exception):
    """A call was answered with something else than a result."""


@asynccontextmanager
async def connected(target: Target, how: How, era: Era, count: int) -> AsyncIterator[list[Ask]]:
    """So many clients with a connection each, all warmed up by one call."""
    async with AsyncExitStack() as stack:
        open_one = _sdk if how is How.SDK else _bare
        asks = [await stack.enter_async_context(open_one(target, era)) for _ in range(count)]
        for ask in asks:
            await ask()
        yield asks


async def load(asks: Sequence[Ask], calls: int) -> Load:
    """Share so many calls among the clients, each of which makes one after the other."""
    each = max(1, calls // len(asks))
    latencies_s: list[float] = []

    async def client(ask: Ask) -> None:
        for _ in range(each):
            began = time.perf_counter()
            await ask()
            latencies_s.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(client(ask) for ask in asks))
    return Load(latencies_s, time.perf_counter() - began)


def sdk_client(url: str, era: Era) -> Client:
    """A client of the SDK, to be entered by the task that leaves it."""
    return Client(url, mode=era.value if era is Era.MODERN else "legacy")


@asynccontextmanager
async def _sdk(target: Target, era: Era) -> AsyncIterator[Ask]:
    async with sdk_client(target.url, era) as client:

        async def ask() -> None:
            result = await client.call_tool(target.tool, dict(target.arguments))
            if result.is_error:
                raise NoResult(str(result.content))

        yield ask


@asynccontextmanager
async def _bare(target: Target, era: Era) -> AsyncIterator[Ask]:
    place = urlsplit(target.url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    sent = request(target, era)

    async def ask() -> None:
        writer.write(sent)
        await writer.drain()
        head, body = await _answer(reader)
        if not head.startswith(b"HTTP/1.1 200") or not is_result(body):
            raise NoResult(repr(head + body)[:1000])

    try:
        yield ask
    finally:
        writer.close()
        await writer.wait_closed()


def request(target: Target, era: Era) -> bytes:
    """A whole HTTP request for one call; a stateless server needs no handshake before it."""
    params: dict[str, Any] = {"name": target.tool, "arguments": dict(target.arguments)}
    headers = {
        "Host": urlsplit(target.url).netloc,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": era.value,
    }
    if era is Era.MODERN:
        params["_meta"] = {
            f"{META}/protocolVersion": era.value,
            f"{META}/clientCapabilities": {},
            f"{META}/clientInfo": {"name": "bare", "version": "0"},
        }
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": target.tool}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    body = json.dumps(message).encode()
    headers["Content-Length"] = str(len(body))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST {urlsplit(target.url).path} HTTP/1.1\r\n{lines}\r\n".encode() + body


def is_result(body: bytes) -> bool:
    """Whether the body, an event stream or JSON, holds a result that is no error."""
    return b'"result"' in body and b'"isError":true' not in body.replace(b" ", b"")


async def _answer(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name == b"content-length":
            return head, await reader.readexactly(int(value))
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return head, body
