"""One MCP client of a soak: a call each second, now this and now that, as an agent makes them.

    draw -> call -> Reply, noted -> what follows from it

Start at `Visitor.stay`. Not here: how many there are and what is watched meanwhile (`soak`), how
clients connect (`_load`).
"""

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import httpx2
from mcp import Client, MCPError

from benchmarks._load import Era, sdk_client
from benchmarks._stream import Outcome, Submission

PERIOD_S = 1.0
SHARES = {"read_board": 8, "get_problem": 4, "claim_strategy": 5, "get_solution": 3}
"""Of the calls that nothing else decides, how often each is drawn."""
OWN_FAULT = frozenset({"claim_closed", "claim_taken_over", "too_similar", "off_strategy"})
"""Refusals that these clients earn by what they do."""
BENCHMARKED = 1 / 3
Candidate = Callable[[Outcome], Submission]


class Reply(NamedTuple):
    """How one call was answered."""

    tool: str
    took_s: float
    code: str
    """Of the refusal; empty: it was none."""
    said: str = ""
    """What a refusal or a broken connection said."""


class Pace:
    """Lets somebody through every so often, whoever comes first."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._due_s = time.monotonic() + every_s

    def passes(self) -> bool:
        """Whether it is time; then not again for a while."""
        if time.monotonic() < self._due_s:
            return False
        self._due_s += self._every_s
        return True


@dataclass
class Common:
    """What all clients of one soak share."""

    url: str
    candidate: Candidate
    pace: Pace
    replies: list[Reply] = field(default_factory=list)


class Visitor:
    """One client with a label of its own."""

    def __init__(
        self, common: Common, era: Era, number: int, problem: str, *, hands_in: bool
    ) -> None:
        self._common = common
        self._era = era
        self._hands_in = hands_in
        self._wanted = {"problem": problem, "agent": f"agent-{number}"}
        self._draw = random.Random(number)
        self._claim_id = ""
        self._jobs: list[str] = []
        self._next: tuple[str, dict[str, Any]] | None = None
        self._since = 0
        self._submission_id = 0

    async def stay(self, first_s: float, until_s: float) -> None:
        """Call from one moment (of the monotonic clock) to another; a lost connection is noted."""
        turn = 0
        while time.monotonic() < until_s:
            try:
                async with sdk_client(self._common.url, self._era) as client:
                    while (due_s := first_s + turn * PERIOD_S) < until_s:
                        await asyncio.sleep(max(0.0, due_s - time.monotonic()))
                        # Who was kept waiting leaves out what it has missed.
                        turn = max(turn + 1, int((time.monotonic() - first_s) / PERIOD_S))
                        await self._call(client, *self._choose())
                    return
            except* (OSError, TimeoutError, MCPError, httpx2.HTTPError) as lost:
                said = repr(lost.exceptions[0])[:300]
                self._common.replies.append(Reply("connection", 0.0, "lost", said))

    async def _call(self, client: Client, tool: str, arguments: Mapping[str, Any]) -> None:
        began = time.monotonic()
        result = await client.call_tool(tool, dict(arguments))
        took_s = time.monotonic() - began
        facts = dict(result.structured_content or {})
        code = str(facts.get("code", "unknown")) if result.is_error else ""
        said = str(facts.get("message", ""))[:300] if code else ""
        self._common.replies.append(Reply(tool, took_s, code, said))
        if code:
            self._claim_id, self._jobs = "", []
        else:
            self._heed(tool, facts)

    def _choose(self) -> tuple[str, dict[str, Any]]:
        """What to call now."""
        if self._next is not None:
            chosen, self._next = self._next, None
            return chosen
        if not self._claim_id:
            return "claim_strategy", dict(self._wanted)
        if self._jobs:
            return "job_wait", {"job_ids": list(self._jobs), "wait_s": 0}
        if self._hands_in and self._common.pace.passes():
            outcome = self._draw.choice([Outcome.CORRECT, Outcome.COMPILE_ERROR])
            handed_in = self._common.candidate(outcome).model_dump()
            return "compile_and_verify", {"claim_id": self._claim_id, "wait_s": 0, **handed_in}
        return self._look_around()

    def _look_around(self) -> tuple[str, dict[str, Any]]:
        tool = self._draw.choices(list(SHARES), list(SHARES.values()))[0]
        if tool == "get_solution" and self._submission_id:
            return tool, {"submission_id": self._submission_id}
        if tool == "get_problem":
            return tool, {"problem": self._wanted["problem"]}
        if tool == "claim_strategy":
            return tool, dict(self._wanted)
        since = self._draw.choice([0, self._since])
        told = {"problem": self._wanted["problem"], "since": since, "claim_id": self._claim_id}
        return "read_board", told

    def _heed(self, tool: str, facts: Mapping[str, Any]) -> None:
        """Remember what later calls need."""
        if tool == "claim_strategy":
            self._claim_id = str(facts.get("claim_id", ""))
        elif tool == "release_claim":
            self._claim_id = ""
        elif tool == "read_board":
            self._since = int(facts["seq"])
        elif tool in ("compile_and_verify", "benchmark", "job_wait"):
            self._heed_job(facts)

    def _heed_job(self, facts: Mapping[str, Any]) -> None:
        if facts.get("state") in ("queued", "running"):
            self._jobs = [str(facts["job_id"])]
            return
        self._jobs = []
        if "decision" in facts:
            # Another strategy next: claims are given back and taken all the time.
            self._next = "release_claim", {"claim_id": self._claim_id, "outcome": "done"}
            return
        self._submission_id = int(facts.get("submission_id", self._submission_id))
        passed = str(facts.get("verdict", "")).startswith("correct on all")
        if passed and self._draw.random() < BENCHMARKED:
            told = {"submission_id": self._submission_id, "wait_s": 0}
            self._next = "benchmark", told
