"""An agent that only hands in and waits, and notes how long each answer took.

    Submission -> compile_and_verify [-> benchmark] -> Asked

Start at `Agent.hand_in`. Not here: what is handed in (`_stream`), and when
(`turnaround`).
"""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

from benchmarks._stream import Outcome, Submission
from coordinator.plateau import Stage
from examples.team.agent import CLAIM_OVER
from examples.team.connection import Connection, Reply
from examples.team.journal import Journal
from guard.domain.value import Value

OPEN = ("queued", "running")
PREPARING, BUSY = "preparing", "busy"
PAUSE_S = 0.2
BUSY_S = 60.0
"""How long every strategy may be held by others."""
WAIT_S = 45
MESSAGE = 300
CLAIMS = 3
"""Claims under which one submission is tried: the first may have ended a moment ago."""


class NoClaim(Exception):
    """The server gave no strategy, so nothing can be handed in."""


class Asked(Value):
    """How one submission was answered."""

    outcome: Outcome
    verified_s: float
    """From handing it in to the message or the verdict."""
    decided_s: float | None
    """From handing it in to the decision, for what was timed."""
    decision: str = ""
    surprise: str = ""
    """What was answered instead of what had to be; empty when it was as it must be."""

    def told(self) -> str:
        """In one line."""
        decided = f", {self.decision} after {self.decided_s:.2f} s" if self.decided_s else ""
        odd = f", instead: {self.surprise[:200]}" if self.surprise else ""
        return f"{self.outcome} after {self.verified_s:.2f} s{decided}{odd}"


class Agent:
    """One client with a label and a claim of its own."""

    def __init__(self, url: str, name: str, problem: str, device: str, folder: Path) -> None:
        self._journal = Journal(folder / f"{name}.jsonl", name)
        self._connection = Connection(url, self._journal)
        self._wanted = {"problem": problem, "agent": name, "device": device}
        self._claim_id = ""

    async def claim(self) -> None:
        """Hold a claim; the first one on a problem has the baseline measured.

        Raises:
            NoClaim: none is given.
        """
        until = time.monotonic() + BUSY_S
        while not self._claim_id:
            reply = await self._connection.call("claim_strategy", **self._wanted)
            status = reply.facts.get("status")
            if status == "granted":
                self._claim_id = str(reply.facts["claim_id"])
            elif status == PREPARING or (status == BUSY and time.monotonic() < until):
                await asyncio.sleep(PAUSE_S)
            else:
                raise NoClaim(json.dumps(reply.facts, ensure_ascii=False))

    async def hand_in(self, outcome: Outcome, submission: Submission) -> Asked:
        """Hand one in; what is correct is timed as well. Claiming anew is not counted."""
        for _ in range(CLAIMS):
            await self.claim()
            began = time.monotonic()
            reply = await self._job(
                "compile_and_verify", claim_id=self._claim_id, **submission.model_dump()
            )
            if reply.code not in CLAIM_OVER:
                break
            self._claim_id = ""
        verified_s = time.monotonic() - began
        surprise = "" if as_it_must_be(outcome, reply.facts) else _message(reply)
        if outcome is not Outcome.CORRECT or surprise:
            return Asked(outcome=outcome, verified_s=verified_s, decided_s=None, surprise=surprise)
        reply = await self._job("benchmark", submission_id=reply.facts["submission_id"])
        decided_s = time.monotonic() - began
        plateau = str(reply.facts.get("plateau", ""))
        if plateau.startswith("reached"):
            self._claim_id = ""
        elif plateau.endswith(Stage.DRAFTING):
            # Its candidates are one idea again and again, which a new claim may hand in.
            await self.give_back()
        await self._heed(reply.facts.get("claim_instead"))
        decision = str(reply.facts.get("decision", ""))
        surprise = "" if decision else _message(reply)
        return Asked(
            outcome=outcome,
            verified_s=verified_s,
            decided_s=None if surprise else decided_s,
            decision=decision,
            surprise=surprise,
        )

    async def leave(self) -> None:
        """Give the claim back and close the journal."""
        await self.give_back()
        self._journal.close()

    async def give_back(self) -> None:
        """End the claim, if one is held."""
        if self._claim_id:
            given = {"claim_id": self._claim_id, "outcome": "done"}
            await self._connection.call("release_claim", **given)
        self._claim_id = ""

    async def _heed(self, instead: list[str] | None) -> None:
        """Claim what the stream's candidates really do, once the server says what that is."""
        if instead is None:
            return
        if not instead:
            await self.give_back()
        else:
            self._wanted["prefer"], self._claim_id = instead[0], ""

    async def _job(self, tool: str, **arguments: Any) -> Reply:
        reply = await self._connection.call(tool, wait_s=WAIT_S, **arguments)
        while not reply.refused and reply.facts.get("state") in OPEN:
            job_ids = [reply.facts["job_id"]]
            reply = await self._connection.call("job_wait", job_ids=job_ids, wait_s=WAIT_S)
        return reply


def as_it_must_be(outcome: Outcome, facts: dict[str, Any]) -> bool:
    """Whether a verdict is the one that such a candidate must get."""
    verdict = str(facts.get("verdict", ""))
    statuses = {str(each.get("status")) for each in facts.get("workloads") or []}
    if outcome is Outcome.CORRECT:
        return verdict.startswith("correct on all")
    if outcome is Outcome.COMPILE_ERROR:
        return verdict == "does not compile"
    return verdict.startswith("failed on") and "INCORRECT_NUMERICAL" in statuses


def _message(reply: Reply) -> str:
    return json.dumps(reply.facts, ensure_ascii=False)[:MESSAGE]
