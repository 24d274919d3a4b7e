"""One tool call: who calls, the house it needs, and the way to tell the caller of progress.

Start at `arrive`. Not here: verifying a token (`auth`), what the call then does.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context

from server.auth import Caller, identify
from server.door import Door

if TYPE_CHECKING:
    from server.house import House

Ctx = Context[Door, Any]
Tell = Callable[[str], Awaitable[None]]
"""Reports progress in one short sentence; does nothing when the caller did not ask for it."""


@dataclass(frozen=True)
class Visit:
    """What a tool needs to know of its call."""

    house: "House"
    caller: Caller
    tell: Tell


async def arrive(ctx: Ctx) -> Visit:
    """Enter the house and learn who calls.

    Raises:
        Unauthenticated: tokens are in use and the call has no valid one.
    """
    house = await ctx.request_context.lifespan_context.enter()
    caller = await identify(house.tokens, ctx.headers or {})
    started = time.monotonic()

    async def tell(message: str) -> None:
        # Elapsed seconds always grow, which progress notices must; a total is not known.
        await ctx.report_progress(round(time.monotonic() - started, 3), None, message)

    return Visit(house, caller, tell)
