"""Call tools over Streamable HTTP, through restarts of the server and answers that say *later*.

Each call opens the protocol anew: the server keeps no session, and a connection that broke in the
middle of a call takes everything inside it along. A call may be repeated, because the same request
gives the same submission, job and conclusion.

    call -> (server gone: wait, again) -> (retryable refusal: wait, again) -> Reply

Start at `Connection.call`. Not here: what to do with a reply (`agent`).
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2  # the client that `mcp` speaks HTTP with: its errors reach us
from mcp import Client, MCPError
from mcp.types import CallToolResult

from examples.team.journal import Journal

RECONNECT_S = 0.5
HELD_S = 2.0
"""A connection that held this long was one to a living server."""
RETRY_AT_MOST_S = 10.0
RETRIES = 30
READ_S = 120.0
Answer = dict[str, Any]


class ServerGone(Exception):
    """The server did not come back in time."""


@dataclass(frozen=True)
class Reply:
    """What a tool said."""

    facts: Answer
    refused: bool

    @property
    def code(self) -> str:
        """The error's code, or nothing."""
        return str(self.facts.get("code", "")) if self.refused else ""


class Connection:
    """One agent's way to the server."""

    def __init__(self, url: str, journal: Journal, *, outage_s: float = 60.0) -> None:
        self._url = url
        self._journal = journal
        self._outage_s = outage_s

    async def call(self, tool: str, **arguments: Any) -> Reply:
        """Call a tool; retryable refusals are asked again, within bounds.

        Raises:
            ServerGone: it stayed away for longer than `outage_s`.
        """
        for _ in range(RETRIES):
            reply = await self._through_outages(tool, arguments)
            if not (reply.refused and reply.facts.get("retryable")):
                return reply
            wait_s = float(reply.facts.get("retry_after_s") or 1.0)
            await asyncio.sleep(min(wait_s, RETRY_AT_MOST_S))
        return reply

    async def _through_outages(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        seen = time.monotonic()
        while True:
            began = time.monotonic()
            result = await self._once(tool, arguments)
            if result is not None:
                reply = Reply(dict(result.structured_content or {}), bool(result.is_error))
                self._journal.replied(tool, arguments, reply.facts, reply.refused)
                return reply
            if time.monotonic() - began > HELD_S:
                # The server took the call and died in the middle of it: it was there until now.
                seen = time.monotonic()
            if time.monotonic() - seen > self._outage_s:
                raise ServerGone(f"no answer from {self._url} for {self._outage_s:.0f} s")
            await asyncio.sleep(RECONNECT_S)

    async def _once(self, tool: str, arguments: Mapping[str, Any]) -> CallToolResult | None:
        """One attempt; None when the connection was refused or broke."""
        result = None
        try:
            async with Client(self._url, read_timeout_seconds=READ_S) as client:
                result = await client.call_tool(tool, dict(arguments))
        except* (OSError, TimeoutError, MCPError, httpx2.HTTPError) as lost:
            self._journal.chose("connection lost", tool=tool, reason=_first(lost))
        return result


def _first(group: BaseException) -> str:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return f"{type(group).__name__}: {group}"
