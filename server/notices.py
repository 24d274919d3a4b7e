"""Put what an agent must know of its campaign above every answer, refusals included.

Start at `noticed`. Not here: what there is to know (`standing`). Imports nothing heavy.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any

from guard.domain.errors import CampaignPaused, CampaignStopped, KernelArcError
from server.answers import Answer
from server.visit import Ctx


def noticed(tool: Callable[..., Awaitable[Answer]]) -> Callable[..., Awaitable[Answer]]:
    """A tool whose answers, refusals included, begin with what its caller must know."""

    @wraps(tool)
    async def call(ctx: Ctx, **arguments: Any) -> Answer:
        try:
            answer = await tool(ctx, **arguments)
        except KernelArcError as error:
            told = await _told(ctx, arguments)
            if told and not isinstance(error, CampaignStopped | CampaignPaused):
                error.hint = " ".join(filter(None, [error.hint, *told.values()]))
            raise
        return await _told(ctx, arguments) | answer

    return call


async def _told(ctx: Ctx, arguments: Mapping[str, Any]) -> Answer:
    # A refusal may have come before anything was opened; then there is nothing to tell.
    house = ctx.request_context.lifespan_context.house
    # Mostly nothing was written since it was last found that there is nothing to tell.
    if house is None or house.notices.quiet():
        return {}
    return await asyncio.to_thread(house.notices.of, arguments)
