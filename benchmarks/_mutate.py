"""Mutations of calls, texts and values: what a confused or hostile client might send.

    (a good call, a source of randomness) -> a bad call, as the JSON text of its request

Everything comes from one `random.Random`, so a run is repeated by its seed. Start at `request`.
"""

import json
import random
import re
from collections.abc import Callable
from typing import Any

SPECIAL = (
    "", " ", "\x00", "\ud800", "\u202e", "\x1b[2J", "../../etc/passwd", "'; DROP TABLE job; --",
    "{{7*7}}", "%s%n", "\n\n\n", "é" * 300, "x" * 70_000, "[" * 20_000, "nan", "-1", "1e999",
)  # fmt: skip
NUMBERS = (0, -1, 1, 2**31, 2**63 - 1, 2**63, 2**64, 10**30, 1e308, -0.0, 0.5, True)
WORDS = ("int32:", "M**M", "M//0", "9**9**9", "(" * 200, "M" * 401, "run", "0", "-M", "__import__")
Draw = random.Random


def text(draw: Draw, good: str) -> str:
    """A text with bytes flipped, cut, doubled, filled with noise, or replaced."""
    data = bytearray(good.encode("utf-8", "replace"))
    how = draw.randrange(6)
    if how == 0 or not data:
        return draw.choice(SPECIAL)
    at = draw.randrange(len(data))
    if how == 1:
        for _ in range(draw.randint(1, 8)):
            data[draw.randrange(len(data))] = draw.randrange(256)
    elif how == 2:
        del data[at : at + draw.randint(1, 40)]
    elif how == 3:
        data[at:at] = draw.randbytes(draw.randint(1, 60))
    elif how == 4:
        data[at:at] = data[at : at + draw.randint(1, 200)]
    else:
        data[at:at] = draw.choice((*SPECIAL, *WORDS)).encode("utf-8", "replace")
    # Latin-1 keeps every byte as some character; the other leaves what is no UTF-8 out.
    return data.decode("latin-1") if draw.random() < 0.5 else data.decode("utf-8", "ignore")


def value(draw: Draw, good: Any) -> Any:
    """Any JSON value: of the same kind mostly, else of another."""
    if isinstance(good, str) and draw.random() < 0.8:
        return text(draw, good)
    if isinstance(good, list) and good and draw.random() < 0.6:
        return [value(draw, entry) for entry in good * draw.randint(0, 4)]
    if isinstance(good, dict) and good and draw.random() < 0.8:
        return _object(draw, good)
    kinds: list[Callable[[], Any]] = [
        lambda: draw.choice(SPECIAL),
        lambda: draw.choice(NUMBERS),
        lambda: None,
        lambda: [draw.choice(NUMBERS), draw.choice(SPECIAL)],
        lambda: {draw.choice(SPECIAL)[:40]: draw.choice(NUMBERS)},
        lambda: _nested(draw.randint(1, 200)),
    ]
    return draw.choice(kinds)()


def plan(draw: Draw, good: str) -> str:
    """A launch plan: still JSON with one thing wrong, or noise."""
    if draw.random() < 0.3:
        return text(draw, good)
    return json.dumps(value(draw, json.loads(good)))


def code(draw: Draw, good: str) -> str:
    """A source: mostly still one that compiles, with a word, a number or a line changed."""
    if draw.random() < 0.3:
        return text(draw, good)
    words = re.findall(r"\w+|[-+*/<>=]", good)
    old, new = draw.choice(words), draw.choice((*words, *map(str, NUMBERS)))
    lines = good.split("\n")
    at = draw.randrange(len(lines))
    how = draw.randrange(4)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(at, lines[draw.randrange(len(lines))])
    else:
        lines[at] = lines[at].replace(old, new, 1)
        return "\n".join(lines).replace(old, new, 1)
    return "\n".join(lines)


def arguments(draw: Draw, good: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call with one or two of them mutated, missing, misspelt or added."""
    bad = dict(good)
    for _ in range(draw.randint(1, 2)):
        name = "source" if "source" in good and draw.random() < 0.5 else draw.choice(list(good))
        how = draw.randrange(10)
        if how == 0:
            bad.pop(name, None)
        elif how == 1:
            bad[text(draw, name)[:60]] = bad.pop(name, None)
        elif name == "launch_plan" and good[name]:
            bad[name] = plan(draw, good[name])
        elif name == "source":
            bad[name] = code(draw, good[name])
        else:
            bad[name] = value(draw, good[name])
    return bad


def request(draw: Draw, tool: str, given: dict[str, Any]) -> bytes:
    """The body of one request; seldom its own bytes are mutated too."""
    params = {"name": tool, "arguments": given}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    if draw.random() < 0.05:
        return text(draw, body).encode("utf-8", "replace")
    return body.encode()


def _object(draw: Draw, good: dict[str, Any]) -> dict[str, Any]:
    bad = dict(good)
    name = draw.choice(list(good))
    if draw.random() < 0.2:
        del bad[name]
    else:
        bad[name] = value(draw, good[name])
    return bad


def _nested(depth: int) -> Any:
    found: Any = 1
    for _ in range(depth):
        found = [found]
    return found
