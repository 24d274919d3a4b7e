"""A server with one tool, for `test_connection`: run as `python small_server.py PORT`."""

import asyncio
import sys
from typing import Any

from mcp.server import MCPServer
from mcp.types import CallToolResult

server = MCPServer("small")
refusals = 2


@server.tool()
async def slow(wait_s: float) -> CallToolResult:
    await asyncio.sleep(wait_s)
    return _said({"waited_s": wait_s})


@server.tool()
async def busy_twice() -> CallToolResult:
    global refusals
    refusals -= 1
    if refusals < 0:
        return _said({"state": "done"})
    return _said({"code": "device_busy", "retryable": True, "retry_after_s": 0.05}, is_error=True)


def _said(facts: dict[str, Any], is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[], structured_content=facts, is_error=is_error)


if __name__ == "__main__":
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]), stateless_http=True)
