"""Hold a database to what agents were told: every id, decision and conclusion of their journals.

Reads both, writes neither.

    journal entries × database -> Ledger (looked up, losses)

Start at `check`; `_LOOK_UPS` says which tool's replies are held to what.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from examples.team.journal import Entry
from memory import views
from memory.engine import Database
from memory.records import ClaimState, JobState

Facts = dict[str, Any]
ALL = 1_000_000
_RELEASED = {"done": ClaimState.DONE, "abandoned": ClaimState.ABANDONED}


@dataclass
class Ledger:
    """What was looked up, by kind, and what was not found or differs."""

    found: Counter[str] = field(default_factory=Counter)
    losses: list[str] = field(default_factory=list)

    @property
    def looked_up(self) -> int:
        """How many told facts were compared."""
        return self.found.total() + len(self.losses)

    def summary(self) -> str:
        """One line: how much of what was found."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.found.items()))
        return f"{self.looked_up} told facts looked up; found: {kinds or 'none'}"

    def note(self, kind: str, held: bool, loss: str) -> None:
        """Count a fact that the database holds, or note the loss."""
        if held:
            self.found[kind] += 1
        else:
            self.losses.append(loss)


def check(entries: Iterable[Entry], database: Database) -> Ledger:
    """Look up every reply that was not a refusal."""
    ledger = Ledger()
    for entry in entries:
        if entry["event"] != "reply" or entry["refused"]:
            continue
        look_up = _LOOK_UPS.get(entry["tool"])
        if look_up is not None:
            where = f"{entry['agent']}'s {entry['tool']}"
            look_up(ledger, database, entry, where)
    return ledger


def _claimed(ledger: Ledger, database: Database, entry: Entry, where: str) -> None:
    facts = entry["reply"]
    if facts.get("status") != "granted":
        return
    claim = views.claim(database, facts["claim_id"])
    held = claim is not None and claim.strategy == facts["strategy"]
    ledger.note("claims", held, f"{where}: claim on {facts['strategy']}")


def _released(ledger: Ledger, database: Database, entry: Entry, where: str) -> None:
    claim = views.claim(database, entry["arguments"]["claim_id"])
    wanted = _RELEASED[entry["arguments"]["outcome"]]
    # A claim that had ended before is left as it was, and the reply says so.
    told = entry["reply"].get("state", wanted.value)
    held = claim is not None and claim.state.value == told
    ledger.note("releases", held, f"{where}: release of {entry['arguments']['claim_id']}")


def _worked(ledger: Ledger, database: Database, entry: Entry, where: str) -> None:
    for facts in _jobs(entry["reply"]):
        job_id, submission_id = str(facts["job_id"]), int(facts["submission_id"])
        job = views.job(database, job_id)
        ledger.note("jobs", job is not None, f"{where}: job {job_id}")
        submission = views.submission(database, submission_id)
        ledger.note("submissions", submission is not None, f"{where}: submission {submission_id}")
        if job is None or submission is None:
            continue
        if facts["state"] == "done":
            ledger.note("ends of jobs", job.state is JobState.DONE, f"{where}: end of {job_id}")
        if "verdict" in facts:
            statuses = [w["status"] for w in facts["workloads"]]
            kept = submission.verification
            same = kept is not None and [j.evaluation.status for j in kept.judgements] == statuses
            ledger.note("verdicts", same, f"{where}: verdict on submission {submission_id}")
        if "decision" in facts:
            decided = submission.decision
            same = decided is not None and decided.verdict.value == facts["decision"]
            ledger.note("decisions", same, f"{where}: decision on submission {submission_id}")


def _jobs(reply: Facts) -> Iterator[Facts]:
    # What another one's record answered has no job.
    yield from (facts for facts in reply.get("jobs", [reply]) if "job_id" in facts)


def _concluded(ledger: Ledger, database: Database, entry: Entry, where: str) -> None:
    told = entry["reply"]["conclusion"]
    cited = views.submission(database, told["submission_ids"][0])
    posted = views.conclusions(database, cited.campaign_id, limit=ALL) if cited else ()
    kept = [c for c in posted if c.seq == told["seq"] and c.kind == told["kind"]]
    ledger.note("conclusions", bool(kept), f"{where}: conclusion {told['seq']}")


_LOOK_UPS: dict[str, Callable[[Ledger, Database, Entry, str], None]] = {
    "claim_strategy": _claimed,
    "release_claim": _released,
    "compile_and_verify": _worked,
    "benchmark": _worked,
    "job_wait": _worked,
    "post_conclusion": _concluded,
}
