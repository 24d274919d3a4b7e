"""How a function becomes a tool: listed under a title and hints, guarded, its schema without noise.

Start at `tool`, then `build`. Not here: the tools themselves (`tools`), error answers (`errors`).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any

from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations

from server.answers import Answer
from server.errors import guarded
from server.metrics import Metrics
from server.notices import noticed


@dataclass(frozen=True)
class _Listed:
    call: Callable[..., Awaitable[Answer]]
    title: str
    hints: ToolAnnotations


_LISTED: list[_Listed] = []
Body = Callable[..., Awaitable[Answer]]


def tool(title: str, *, reads: bool = False, destroys: bool = False) -> Callable[[Body], Body]:
    """List a function as a tool; all are safe to repeat and touch nothing outside this server.

    `reads`: it changes nothing that any agent can see. What the house notes for its own report,
    such as what an agent was shown, is no such change.
    """
    hints = ToolAnnotations(
        read_only_hint=reads, destructive_hint=destroys, idempotent_hint=True, open_world_hint=False
    )

    def listed(call: Body) -> Body:
        _LISTED.append(_Listed(call, title, hints))
        return call

    return listed


def build(metrics: Metrics) -> list[Tool]:
    """The tools in the order an agent meets them."""
    tools = []
    for entry in _LISTED:
        made = Tool.from_function(
            guarded(noticed(entry.call), metrics),
            title=entry.title,
            description=cleandoc(entry.call.__doc__ or ""),
            annotations=entry.hints,
            structured_output=False,
        )
        made.parameters = _without_titles(made.parameters)
        tools.append(made)
    return tools


def _without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    # Pydantic repeats each name as a title: a fifth of the tokens, and no news.
    kept = {k: v for k, v in schema.items() if k != "title"}
    properties = kept.get("properties", {})
    kept["properties"] = {
        name: {k: v for k, v in entry.items() if k != "title"} for name, entry in properties.items()
    }
    return kept
