"""The one place that catches everything and says it in one shape.

Every error answer holds ``code``, ``message``, ``retryable``, ``retry_after_s`` and ``hint``, in
its text and in its structured content: our own errors, unknown tools, unknown arguments, bad
values, and failures nobody foresaw (whose details stay in the log).

Start at `refusal`; `guarded` wraps a tool, `check_calls` stands before all of them.
"""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult
from pydantic import ValidationError

from guard.domain.errors import (
    BadValue,
    HouseError,
    KernelArcError,
    UnknownArgument,
    UnknownTool,
    did_you_mean,
)
from server.answers import Answer, quoted, result
from server.metrics import Metrics

_LOG = logging.getLogger(__name__)
_VALUE_SHOWN = 80


def unforeseen(tool: str) -> HouseError:
    """What the caller learns of a failure that nobody foresaw; the log has the details."""
    return HouseError(
        f"`{tool}` failed inside the server; nothing is charged to you.",
        hint="Try once more; if it fails again, tell the operator: the server's log has it.",
    )


def facts(error: KernelArcError) -> Answer:
    """The five fields of every error answer."""
    return {
        "code": error.code,
        "message": quoted(error.message, 1_500),
        "retryable": error.retryable,
        "retry_after_s": error.retry_after_s,
        "hint": error.hint,
    }


def refusal(error: KernelArcError) -> CallToolResult:
    """The error as a tool result that the model sees."""
    return result(facts(error), is_error=True)


def guarded(
    tool: Callable[..., Awaitable[Answer]], metrics: Metrics
) -> Callable[..., Awaitable[CallToolResult]]:
    """A tool whose answers and errors all have the house's shape."""

    @wraps(tool)
    async def call(*args: Any, **kwargs: Any) -> CallToolResult:
        metrics.calls[tool.__name__] += 1
        try:
            return result(await tool(*args, **kwargs))
        except KernelArcError as error:
            metrics.refusals[error.code] += 1
            return refusal(error)
        except Exception:
            _LOG.exception("tool %s failed", tool.__name__)
            metrics.refusals["house_error"] += 1
            return refusal(unforeseen(tool.__name__))

    return call


def check_calls(tools: Sequence[Tool], metrics: Metrics) -> ServerMiddleware[Any]:
    """Middleware that refuses unknown tools, unknown arguments and bad values before the SDK does.

    The SDK drops unknown arguments silently and answers bad values with pydantic's own text.
    """
    known = {tool.name: tool for tool in tools}

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method != "tools/call" or ctx.request_id is None:
            return await call_next(ctx)
        params = ctx.params or {}
        error = _wrong(known, str(params.get("name")), params.get("arguments") or {})
        if error is None:
            return await call_next(ctx)
        metrics.refusals[error.code] += 1
        return refusal(error)

    return middleware


def _wrong(tools: Mapping[str, Tool], name: str, arguments: Any) -> KernelArcError | None:
    if name not in tools:
        return UnknownTool(name, tools)
    if not isinstance(arguments, dict):
        return BadValue("arguments", "must be an object of argument names and values")
    properties = tools[name].parameters.get("properties", {})
    for argument in arguments:
        if argument not in properties:
            return UnknownArgument(name, argument, properties)
    try:
        tools[name].fn_metadata.validate_arguments(arguments)
    except ValidationError as error:
        return _bad_value(error, properties)
    return None


def _bad_value(error: ValidationError, properties: Mapping[str, Any]) -> BadValue:
    first = error.errors(include_url=False)[0]
    name = ".".join(str(part) for part in first["loc"]) or "arguments"
    schema = properties.get(str(first["loc"][0]), {}) if first["loc"] else {}
    described = str(schema.get("description", ""))
    hint = f"`{name}`: {described}" if described else ""
    if first["type"] == "missing":
        return BadValue(name, "is required but was not given.", hint=hint)
    given = json.dumps(first.get("input"), default=str)[:_VALUE_SHOWN]
    reason = f"{first['msg']}; got {given}."
    choices = schema.get("enum")
    if choices:
        reason = f"{given} is not one of its values. {did_you_mean(given.strip(chr(34)), choices)}"
    return BadValue(name, quoted(reason, 600), hint=hint)
