"""The bridge for clients that speak MCP over standard input and output.

It joins the server that holds the database, starting one that outlives it if there is none, and
passes JSON-RPC messages both ways. It knows no tool and keeps no state; when its client goes away
it ends, and the jobs go on.

    client ─ stdin ─> Bridge ─ POST /mcp ─> server          answers and progress come back

Start at `serve_stdio`. Not here: finding or starting the server (`joining`).
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import httpx2
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.types import PROTOCOL_VERSION_META_KEY

from guard.domain.errors import KernelArcError
from server.joining import join
from server.settings import Settings

LEAVE_S = 10.0
"""How long calls in progress may take to end after the client closed its side."""
CONNECT_S = 10.0
PARSE_ERROR = -32_700
UNREACHABLE = -32_000
_CANCELLED = "notifications/cancelled"
_TAKEN = 202
Message = dict[str, Any]


def serve_stdio(settings: Settings) -> None:
    """Pass messages until the client closes its side.

    Raises:
        CallerError: there is no server and none can be started.
    """
    asyncio.run(_serve(settings, join(settings)))


async def _serve(settings: Settings, url: str) -> None:
    headers = {"Accept": "application/json, text/event-stream"}
    if settings.token:
        headers["Authorization"] = f"Bearer {settings.token}"
    # A long poll may be silent for minutes: only connecting has a limit.
    timeout = httpx2.Timeout(None, connect=CONNECT_S)
    async with httpx2.AsyncClient(headers=headers, timeout=timeout) as http:
        bridge = Bridge(http, settings, url)
        while line := await asyncio.to_thread(sys.stdin.buffer.readline):
            if line.strip():
                bridge.receive(line)
        await bridge.leave()


class Bridge:
    """Messages in flight between one client and the server."""

    def __init__(self, http: httpx2.AsyncClient, settings: Settings, url: str) -> None:
        self._http = http
        self._settings = settings
        self._url = url
        self._negotiated = ""
        self._calls: dict[Any, asyncio.Task[None]] = {}

    def receive(self, line: bytes) -> None:
        """Take one line from the client and begin to pass it on."""
        try:
            message = json.loads(line)
        except ValueError:
            return _emit(_error(None, PARSE_ERROR, "The line is not JSON."))
        if not isinstance(message, dict):
            return _emit(_error(None, PARSE_ERROR, "The line is not a JSON-RPC message."))
        if message.get("method") == _CANCELLED:
            self._cancel(message)
            return None
        key = message.get("id", object())
        task = asyncio.create_task(self._pass_on(message))
        self._calls[key] = task
        task.add_done_callback(lambda _: self._calls.pop(key, None))
        return None

    async def leave(self) -> None:
        """Let calls in progress end, but not for ever."""
        if self._calls:
            await asyncio.wait(self._calls.values(), timeout=LEAVE_S)
        for task in list(self._calls.values()):
            task.cancel()

    def _cancel(self, message: Message) -> None:
        # Closing the response stream is how a waiter leaves over HTTP; its job goes on.
        task = self._calls.get((message.get("params") or {}).get("requestId"))
        if task is not None:
            task.cancel()

    async def _pass_on(self, message: Message) -> None:
        try:
            async for answer in self._post(message):
                self._note_version(message, answer)
                _emit(answer)
        except httpx2.HTTPError as error:
            if "id" in message:
                reason = await self._rejoin(error)
                _emit(_error(message["id"], UNREACHABLE, reason))

    async def _post(self, message: Message) -> AsyncIterator[Message]:
        headers = self._headers(message)
        async with self._http.stream("POST", self._url, json=message, headers=headers) as response:
            if response.status_code == _TAKEN:
                return
            if response.headers.get("content-type", "").startswith("text/event-stream"):
                async for data in _events(response):
                    yield json.loads(data)
                return
            body = (await response.aread()).decode(errors="replace")
            if "id" in message:
                yield _answer(message["id"], response.status_code, body)

    def _headers(self, message: Message) -> dict[str, str]:
        params = message.get("params") or {}
        modern = (params.get("_meta") or {}).get(PROTOCOL_VERSION_META_KEY, "")
        headers = {MCP_PROTOCOL_VERSION_HEADER: modern or self._negotiated}
        if modern:
            method = str(message.get("method", ""))
            headers[MCP_METHOD_HEADER] = method
            if name := params.get(NAME_BEARING_METHODS.get(method, "")):
                headers[MCP_NAME_HEADER] = encode_header_value(str(name))
        return {name: value for name, value in headers.items() if value}

    def _note_version(self, message: Message, answer: Message) -> None:
        if message.get("method") == "initialize" and "result" in answer:
            self._negotiated = str(answer["result"].get("protocolVersion", ""))

    async def _rejoin(self, error: httpx2.HTTPError) -> str:
        """Find the server again, since it may have been restarted elsewhere."""
        try:
            self._url = await asyncio.to_thread(join, self._settings)
        except KernelArcError as trouble:
            return f"The server cannot be reached: {trouble.message}"
        kind = type(error).__name__
        return f"The connection to the server was lost ({kind}). Jobs go on: call again."


async def _events(response: httpx2.Response) -> AsyncIterator[str]:
    data: list[str] = []
    async for line in response.aiter_lines():
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            if text := "\n".join(data):
                yield text
            data = []


def _answer(request_id: Any, status: int, body: str) -> Message:
    try:
        answer = json.loads(body)
    except ValueError:
        return _error(request_id, UNREACHABLE, f"HTTP {status}: {body.strip()[:200]}")
    if isinstance(answer, dict) and "jsonrpc" in answer:
        return {**answer, "id": request_id}
    said = answer.get("error_description", body) if isinstance(answer, dict) else body
    return _error(request_id, UNREACHABLE, f"HTTP {status}: {str(said)[:300]}")


def _error(request_id: Any, code: int, message: str) -> Message:
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def _emit(message: Message) -> None:
    sys.stdout.buffer.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
    sys.stdout.buffer.flush()
