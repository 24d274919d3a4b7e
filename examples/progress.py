"""What the terminal shows while a team works: one row per agent, and the latest events.

Pure folding of journal entries into rows, and one function that draws them. It invents nothing:
every word comes from a reply or from the agent's own note.

Start at `Picture.add`. Not here: reading the journals (`team.journal`), running (`demo`).
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from examples.team.conclude import estimate
from examples.team.journal import Entry

EVENTS_SHOWN = 8
_COLOURS = {"promoted": "green", "accepted": "cyan", "correct": "white", "exhausted": "magenta"}


@dataclass
class Row:
    """One agent as last seen."""

    strategy: str = "waiting for a claim"
    candidate: str = ""
    said: str = ""
    best: float | None = None
    submitted: set[int] = field(default_factory=set)
    benchmarked: set[int] = field(default_factory=set)
    candidates: dict[int, str] = field(default_factory=dict)


class Picture:
    """All agents and the latest events."""

    def __init__(self, title: str) -> None:
        self._title = title
        self.rows: dict[str, Row] = {}
        self._events: deque[str] = deque(maxlen=EVENTS_SHOWN)

    def add(self, entry: Entry) -> str | None:
        """Take in one journal entry; the event it amounts to, if it is worth a line."""
        row = self.rows.setdefault(entry["agent"], Row())
        told = self._reply(row, entry) if entry["event"] == "reply" else _choice(row, entry)
        if told is None:
            return None
        event = f"{entry['agent']:>6}  {told}"
        self._events.append(event)
        return event

    def drawn(self) -> Group:
        """The table and the events, for rich."""
        table = Table(title=self._title, expand=True, title_justify="left")
        for column in ("agent", "strategy", "candidate", "last answer", "best"):
            table.add_column(column, overflow="ellipsis", no_wrap=True)
        for agent, row in self.rows.items():
            best = f"{row.best:.2f}x" if row.best else "-"
            colour = _COLOURS.get(row.said.partition(" ")[0], "yellow")
            said = f"[{colour}]{escape(row.said)}[/]"
            table.add_row(agent, row.strategy, row.candidate, said, best)
        return Group(
            table, *(Text(event, overflow="ellipsis", no_wrap=True) for event in self._events)
        )

    def _reply(self, row: Row, entry: Entry) -> str | None:
        facts, tool = entry["reply"], entry["tool"]
        if entry["refused"]:
            row.said = str(facts.get("code"))
            return f"{tool} refused: {facts.get('message')}"
        if tool == "claim_strategy":
            return _claimed(row, facts)
        if tool == "post_conclusion":
            posted = facts["conclusion"]
            return f"{posted['kind']}: {posted['untrusted_note']}"
        if tool in ("compile_and_verify", "benchmark", "job_wait"):
            return _judged(row, facts)
        return None


def _claimed(row: Row, facts: dict[str, Any]) -> str | None:
    if facts.get("status") != "granted":
        row.said = str(facts.get("status"))
        return None
    row.strategy, row.candidate = str(facts["strategy"]), ""
    return f"claimed {facts['strategy']}: {facts['why']}"


def _judged(row: Row, facts: dict[str, Any]) -> str | None:
    submission = int(facts.get("submission_id", 0))
    row.submitted.add(submission)
    if "decision" in facts:
        return _decided(row, submission, facts)
    if "verdict" in facts:
        row.said = str(facts["verdict"])
        failed = [w["status"] for w in facts["workloads"] if w["status"] != "PASSED"]
        return f"{row.candidate}: {row.said}" + (f" ({failed[0]})" if failed else "")
    row.said = str(facts.get("progress") or facts.get("state"))
    return None


def _decided(row: Row, submission: int, facts: dict[str, Any]) -> str:
    row.benchmarked.add(submission)
    speedup = estimate(facts["speedup_over_baseline"])
    if speedup is not None and facts["decision"] in ("promoted", "accepted", "reverted"):
        row.best = max(speedup, row.best or 0.0)
    times = f"{speedup:.2f} times the baseline" if speedup else "not timed"
    row.said = f"{facts['decision']} ({times})"
    plateau = str(facts.get("plateau", ""))
    tail = f"; plateau {plateau}" if plateau.startswith("reached") else ""
    return f"{row.candidate}: {facts['decision']}, {times}{tail}"


def _choice(row: Row, entry: Entry) -> str | None:
    if entry["event"] == "trying":
        row.candidate, row.said = entry["candidate"], "submitted"
        return None
    if entry["event"] == "passed over":
        return f"passed over {entry['candidate']}: {entry['reason']}"
    if entry["event"] == "connection lost":
        row.said = "server gone"
        return None
    row.candidate, row.said = "", "finished"
    return "finished" + (", out of time" if entry.get("out_of_time") else "")
