"""Read foreign JSON files: bounded in size, strict in syntax, with the line of what is wrong.

Strict means UTF-8, no NaN or Infinity, no key twice in one object. Nothing here knows what the
files mean.

Start at `read_object`. Not here: which errors users see (`sol_execbench`, `_solution_file`).
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

MAX_FILE_BYTES = 16 * 2**20


class Unreadable(ValueError):
    """A file, or one line of it, cannot be read."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        """Counted from 1; 0 where no line is known."""


def read_text(path: Path, limit_bytes: int = MAX_FILE_BYTES) -> str:
    """The file's text.

    Raises:
        Unreadable: it does not exist, is too large, or is not UTF-8.
    """
    try:
        with path.open("rb") as file:
            data = file.read(limit_bytes + 1)
    except OSError as error:
        raise Unreadable(error.strerror or "cannot be opened") from error
    if len(data) > limit_bytes:
        raise Unreadable(f"the file is larger than {limit_bytes:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable("the text is not UTF-8", line) from error


def read_object(path: Path) -> dict[str, Any]:
    """The one JSON object that the file holds.

    Raises:
        Unreadable: as `read_text`, or the text is no such object.
    """
    return _parse(read_text(path), 0)


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a file with one a line, each with its line number; empty lines pass.

    Raises:
        Unreadable: as `read_object`, with the line.
    """
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield number, _parse(line, number)


def _parse(text: str, line: int) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        where = f"{error.msg} at column {error.colno}"
        raise Unreadable(f"not JSON: {where}", line or error.lineno) from error
    except (ValueError, RecursionError) as error:
        reason = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        raise Unreadable(f"not JSON: {reason}", line) from error
    if not isinstance(value, dict):
        raise Unreadable(f"expected a JSON object, found {type(value).__name__}", line)
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} appears twice in one object")
        found[key] = value
    return found
