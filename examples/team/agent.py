"""One agent: claim a strategy, try its lane's prepared candidates, tell what came of it.

It knows only what the server tells it. Whether a candidate is good, wrong or a cheat is not in
what it reads, so the run ends truly whatever lies in the plan.

    wish -> claim -> [board -> candidate -> verify -> benchmark -> conclusion]* -> release

Start at `Agent.work`. Not here: reaching the server (`connection`), wording (`conclude`).
"""

import asyncio
import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from examples.team import conclude
from examples.team.conclude import Conclusion
from examples.team.connection import Answer, Connection, Reply
from examples.team.journal import Journal
from examples.team.plan import Candidate, Plan, Seat, named_tags

CLAIM_OVER = (
    "claim_taken_over", "claim_closed", "unknown_claim", "campaign_closed",
)  # fmt: skip
ATTEMPTS = 5
"""Requests for one job that the server lost in restarts."""
CLAIM_ATTEMPTS = 40
WAIT_S = 45
LATE = "correct, but this agent has no time or no benchmark left"


@dataclass
class Held:
    """The claim in hand and what was tried under it."""

    claim_id: str
    lane: str
    over: bool = False
    """Nothing more is accepted under it."""
    fruitless: list[tuple[int, Candidate, str]] = field(default_factory=list)
    """Benchmarked and not promoted: submission, candidate, speedup over the baseline."""


class Agent:
    """A scripted member of the team."""

    def __init__(
        self, connection: Connection, journal: Journal, plan: Plan, folder: Path, seat: Seat, *,
        device: str = "", seconds: float = 0.0,
    ) -> None:  # fmt: skip
        self._connection = connection
        self._journal = journal
        self._plan = plan
        self._folder = folder
        self._seat = seat
        self._device = device
        self._seconds = seconds
        self._until = math.inf
        self._benchmarked = 0
        self._stopped = False
        """Told that the campaign has reached a limit."""
        self._tried: set[str] = set()
        self._submissions: dict[str, int] = {}
        self._traps: frozenset[str] = frozenset()
        self._seq = 0

    async def work(self) -> None:
        """Follow the seat's wishes, one claim for each, until they or the time are spent."""
        await self._connection.call("get_problem", problem=self._plan.problem)
        for wish in self._seat.prefer:
            if self._spent():
                break
            held = await self._claim(wish)
            if held is None:
                break
            await self._under(held)
        self._journal.chose("finished", out_of_time=self._out_of_time())

    async def _claim(self, wish: str) -> Held | None:
        for _ in range(CLAIM_ATTEMPTS):
            reply = await self._connection.call(
                "claim_strategy", problem=self._plan.problem, prefer=wish,
                agent=self._seat.agent, device=self._device,
            )  # fmt: skip
            if (reply.refused and not reply.facts.get("retryable")) or self._spent():
                return None
            if reply.facts.get("status") == "granted":
                self._start_the_clock()
                return Held(str(reply.facts["claim_id"]), str(reply.facts["lane"]))
            await asyncio.sleep(min(float(reply.facts.get("retry_after_s", 1)), 5.0))
        return None

    async def _under(self, held: Held) -> None:
        candidates = [c for c in self._plan.lane.get(held.lane, ()) if c.file not in self._tried]
        reached = False
        for candidate in candidates:
            if self._spent() or held.over:
                break
            reached = True
            self._tried.add(candidate.file)
            await self._step(held, candidate)
        if not held.over:
            outcome = "done" if reached and not self._spent() else "abandoned"
            await self._connection.call("release_claim", claim_id=held.claim_id, outcome=outcome)

    async def _step(self, held: Held, candidate: Candidate) -> None:
        await self._read_board(held)
        tag = candidate.covered_by(self._traps)
        if tag:
            self._journal.chose("passed over", candidate=candidate.name, reason=f"trap #{tag}")
            return
        if not (self._folder / candidate.file).is_file():
            self._journal.chose("passed over", candidate=candidate.name, reason="no such file")
            return
        self._journal.chose("trying", candidate=candidate.name, note=candidate.note)
        verified = await self._verify(held, candidate)
        if verified is None:
            return
        submission = int(verified["submission_id"])
        self._submissions[candidate.file] = submission
        if conclude.passed(verified):
            if self._spent():
                self._journal.chose("passed over", candidate=candidate.name, reason=LATE)
            else:
                await self._benchmark(held, candidate, submission)
        else:
            told = conclude.after_verification(candidate, verified)
            await self._tell(held, told, [submission])

    async def _verify(self, held: Held, candidate: Candidate) -> Answer | None:
        launch_plan = self._text(candidate.launch_plan) if candidate.launch_plan else ""
        reply = await self._job(
            "compile_and_verify",
            claim_id=held.claim_id,
            language=self._plan.language_of(candidate),
            source=self._text(candidate.file),
            destination_passing_style=candidate.destination_passing_style,
            entry_point=candidate.entry_point,
            launch_plan=launch_plan,
            options=self._plan.options_of(candidate),
            builds_on=[self._submissions[f] for f in candidate.builds_on if f in self._submissions],
            wait_s=WAIT_S,
        )
        return self._usable(held, candidate, reply, "verdict")

    async def _benchmark(self, held: Held, candidate: Candidate, submission: int) -> None:
        self._benchmarked += 1
        reply = await self._job("benchmark", submission_id=submission, wait_s=WAIT_S)
        timed = self._usable(held, candidate, reply, "decision")
        if timed is None:
            return
        if timed["decision"] != "promoted":
            speedup = str(timed.get("speedup_over_baseline"))
            held.fruitless.append((submission, candidate, speedup))
        await self._tell(held, conclude.after_benchmark(candidate, timed), [submission])
        if str(timed.get("plateau", "")).startswith("reached"):
            held.over = True
            tried = [(c, speedup) for _, c, speedup in held.fruitless]
            cited = [submission for submission, _, _ in held.fruitless][-16:]
            await self._tell(held, conclude.after_plateau(held.lane, tried), cited)

    async def _tell(self, held: Held, told: Conclusion | None, cited: list[int]) -> None:
        if told is None:
            return
        await self._connection.call(
            "post_conclusion", claim_id=held.claim_id, kind=told.kind, strategy_note=told.note,
            reflection=told.reflection, submission_ids=cited,
        )  # fmt: skip

    async def _read_board(self, held: Held) -> None:
        reply = await self._connection.call(
            "read_board", problem=self._plan.problem, since=self._seq, budget=1_500,
            claim_id=held.claim_id,
        )  # fmt: skip
        self._seq = max(self._seq, int(reply.facts.get("seq", 0)))
        for board in reply.facts.get("boards", []):
            for posted in board.get("conclusions", []):
                if posted.get("kind") == "trap":
                    words = f"{posted.get('untrusted_note')} {posted.get('untrusted_reflection')}"
                    self._traps |= named_tags(words)

    async def _job(self, tool: str, **arguments: Any) -> Reply:
        """Ask, and wait to the end; a job that the server lost in a restart is asked for again."""
        for _ in range(ATTEMPTS):
            reply = await self._connection.call(tool, **arguments)
            while not reply.refused and reply.facts.get("state") in ("queued", "running"):
                job_ids = [reply.facts["job_id"]]
                reply = await self._connection.call("job_wait", job_ids=job_ids, wait_s=WAIT_S)
            if reply.facts.get("retryable"):
                await asyncio.sleep(min(float(reply.facts.get("retry_after_s", 1)), 5.0))
            elif reply.refused or reply.facts.get("state") == "done":
                return reply
        return reply

    def _usable(self, held: Held, candidate: Candidate, reply: Reply, needed: str) -> Answer | None:
        """The reply's facts if they hold what is needed; else note why and None."""
        if not reply.refused and needed in reply.facts:
            return reply.facts
        held.over = held.over or reply.code in CLAIM_OVER
        self._stopped = self._stopped or reply.code == "campaign_stopped"
        reason = reply.facts.get("message") or reply.facts.get("reason") or "no answer"
        self._journal.chose("passed over", candidate=candidate.name, reason=str(reason))
        return None

    def _text(self, file: str) -> str:
        return (self._folder / file).read_text(encoding="utf-8")

    def _start_the_clock(self) -> None:
        # From the first claim on: how long the baseline takes is not the agent's doing.
        if self._seconds and self._until == math.inf:
            self._until = time.monotonic() + self._seconds

    def _spent(self) -> bool:
        allowed = self._seat.benchmarks
        return self._stopped or self._out_of_time() or 0 < allowed <= self._benchmarked

    def _out_of_time(self) -> bool:
        return time.monotonic() > self._until
