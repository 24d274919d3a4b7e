"""Turn an answer into a tool result: the same facts as text and as structured content.

The text is written from the structured content by one rule, so they cannot differ. Both are at
most `LIMIT` characters; what was cut is named in the answer.

    facts (JSON values) -> fit (plain, short) -> structured content + text

Start at `result`. Not here: which facts a tool answers with (`show`).
"""

import json
from collections.abc import Iterator
from typing import Any

from mcp.types import CallToolResult, TextContent

from guard.plain import plain

LIMIT = 8_000
Answer = dict[str, Any]
"""JSON values by name, names first read first."""

_KEPT_TEXT = 240
_MANY = 16
_LEFT_OUT = "shortened"


def result(answer: Answer, *, is_error: bool = False) -> CallToolResult:
    """The tool result that says `answer` both ways."""
    fitted = fit(answer)
    return CallToolResult(
        content=[TextContent(type="text", text=render(fitted))],
        structured_content=fitted,
        is_error=is_error,
    )


def quoted(text: str, limit: int = 2_000) -> str:
    """Text from a candidate or another agent: no control characters, and not too long."""
    clean = plain(text)
    if len(clean) <= limit:
        return clean
    # The end of a compiler's or a crash's output says more than its middle.
    head, tail = limit // 3, limit - limit // 3
    return f"{clean[:head]}\n[{len(clean) - limit} characters left out]\n{clean[-tail:]}"


def render(answer: Answer) -> str:
    """Write facts as indented lines: every name and every value, in order."""
    return "\n".join(_lines(answer, ""))


def _lines(value: Answer, indent: str) -> Iterator[str]:
    for name, item in value.items():
        if isinstance(item, dict) and item:
            yield f"{indent}{name}:"
            yield from _lines(item, indent + "  ")
        elif isinstance(item, list) and any(isinstance(entry, dict) for entry in item):
            yield f"{indent}{name}:"
            for entry in item:
                yield from _entry(entry, indent)
        elif isinstance(item, str) and "\n" in item:
            yield f"{indent}{name}:"
            # Each quoted line keeps its bar, so a text cannot pass itself off as another fact.
            yield from (f"{indent}  | {line}" for line in item.split("\n"))
        else:
            yield f"{indent}{name}: {_scalar(item)}"


def _entry(entry: Any, indent: str) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield f"{indent}- {_scalar(entry)}"
        return
    lines = list(_lines(entry, indent + "  "))
    if lines:
        yield f"{indent}- {lines[0].lstrip()}"
        yield from lines[1:]


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(_scalar(item) for item in value) or "none"
    return json.dumps(value, ensure_ascii=False)


def fit(answer: Answer, limit: int = LIMIT) -> Answer:
    """Shorten the longest text, then the longest list or mapping, until it fits both ways."""
    fitted: Answer = json.loads(json.dumps(answer))
    # Every text of every answer, whoever forgot to quote it.
    for holder, key, text in list(_leaves(fitted)):
        if isinstance(text, str):
            holder[key] = plain(text)
    cut: dict[str, str] = {}
    while (excess := size(fitted) - limit) > 0:
        texts = [leaf for leaf in _leaves(fitted) if isinstance(leaf[2], str)]
        long = [leaf for leaf in texts if len(leaf[2]) > 2 * _KEPT_TEXT]
        if len(long) > _MANY:
            # One by one, hundreds of long texts would keep every other caller waiting.
            for holder, key, text in long:
                holder[key] = quoted(text, max(_KEPT_TEXT, len(text) // 2))
            continue
        path, (holder, key, text) = "", max(texts, key=lambda leaf: len(leaf[2]))
        if len(text) > 2 * _KEPT_TEXT:
            keep = max(_KEPT_TEXT, len(text) - 2 * excess - 120)
            holder[key] = quoted(text, keep)
            continue
        many = list(_containers(fitted, ""))
        if not many:
            break
        # The entries of a mapping belong together: lists give way first.
        lists = [one for one in many if isinstance(one[1], list)]
        path, items = max(lists or many, key=lambda pair: len(json.dumps(pair[1])))
        shown = cut.get(path, "").partition(" of ")[2] or f"{len(items)}"
        keys = list(items) if isinstance(items, dict) else list(range(len(items)))
        for key in reversed(keys[max(1, len(keys) * 3 // 4) :]):
            del items[key]
        cut[path] = f"{len(items)} of {shown}"
        fitted[_LEFT_OUT] = [f"{name}: {count} shown" for name, count in cut.items()]
    return fitted


def size(answer: Answer) -> int:
    """The characters that an answer takes, in whichever form is longer."""
    return max(len(render(answer)), len(json.dumps(answer, ensure_ascii=False)))


def _leaves(value: Any) -> Iterator[tuple[Any, Any, Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(pairs):
        if isinstance(item, dict | list):
            yield from _leaves(item)
        else:
            yield value, key, item


def _containers(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Lists and mappings of several entries below the answer, each with its path."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in pairs:
        name = f"{path}.{key}".lstrip(".")
        if isinstance(item, dict | list):
            if len(item) > 1 and key != _LEFT_OUT:
                yield name, item
            yield from _containers(item, name)
