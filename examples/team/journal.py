"""An agent's journal: one JSON line for everything it was told and everything it chose.

Every reply is on the disk before the agent acts on it, so that a check afterwards can hold the
database to it. Written by one process, read by `demo` and `kill_drill` while it grows.

Start at `Journal`. Not here: what the entries mean to a reader (`examples.progress`).
"""

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Entry = dict[str, Any]
_LONG = ("source", "launch_plan")


class Journal:
    """Appends to one file."""

    def __init__(self, path: Path, agent: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="utf-8")
        self._agent = agent

    def replied(
        self, tool: str, arguments: Mapping[str, Any], reply: Mapping[str, Any], refused: bool
    ) -> None:
        """Note a tool's reply, whole; of long arguments only the length."""
        sent = {k: f"{len(v)} characters" if k in _LONG else v for k, v in arguments.items()}
        self._write(
            {"event": "reply", "tool": tool, "arguments": sent, "refused": refused, "reply": reply}
        )

    def chose(self, event: str, **facts: Any) -> None:
        """Note a step of the agent's own, such as passing over a candidate."""
        self._write({"event": event, **facts})

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, facts: Entry) -> None:
        entry = {"at_s": round(time.time(), 3), "agent": self._agent, **facts}
        self._file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        self._file.flush()


class JournalReader:
    """Reads the whole lines that were added to a folder of journals since the last look."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, int] = {}

    def news(self) -> Iterator[Entry]:
        """New entries, file by file; a line still being written waits for the next look."""
        for path in sorted(self._folder.glob("*.jsonl")):
            with path.open("rb") as file:
                file.seek(self._read.get(path, 0))
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._read[path] = self._read.get(path, 0) + len(line)
                    yield json.loads(line)
