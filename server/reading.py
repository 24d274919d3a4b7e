"""The tools that only read: problems and solutions.

Start at `get_problem`. Not here: the board (`boards`), which facts of a record are shown (`show`).
"""

import asyncio
from functools import cached_property

from guard import evidence
from guard.domain.errors import UnknownSubmission
from guard.domain.problem import Problem
from guard.packed import unpack
from guard.verify import BEYOND
from memory import views
from memory.engine import Database
from memory.listings import text_of
from memory.records import Campaign, Submission
from server import listings, show, show_problem
from server.answers import Answer, quoted
from server.benches import Benches
from server.library import Library

RANGE = 3_500
"""Characters of one part of a solution: escaped twice over, it still fits in an answer."""


class Reading:
    """Answers about problems and solutions; writes nothing."""

    def __init__(self, *, database: Database, library: Library, benches: Benches) -> None:
        self._database = database
        self._library = library
        self._benches = benches

    async def get_problem(self, name: str) -> Answer:
        """The list of problems, or one in full."""
        if not name:
            # Reads no database: a thread would cost more than the answer.
            return self._list()
        return await asyncio.to_thread(self._problem, self._library.problem(name))

    async def get_solution(self, submission_id: int, part: str, offset: int) -> Answer:
        """A range of a submission's source, log, evidence or machine code."""
        record = await asyncio.to_thread(views.submission, self._database, submission_id)
        if record is None:
            raise UnknownSubmission(submission_id)
        head: Answer = {
            "submission_id": record.id,
            "agent": record.agent,
            "strategy": record.strategy,
            "language": record.solution.language,
            "part": part,
        }
        if part not in _PARTS:
            return head | await asyncio.to_thread(self._listing, record, part, offset)
        text = _PARTS[part](record)
        end = offset + RANGE
        return head | {
            "characters": len(text),
            "offset": offset,
            "next_offset": end if end < len(text) else 0,
            f"untrusted_{part}": quoted(text[offset:end], RANGE),
            "next": f"Call again with offset={end} for the rest."
            if end < len(text)
            else "This is the end. To build on it, name its id in `builds_on`.",
        }

    def _listing(self, record: Submission, kind: str, start: int) -> Answer:
        report = record.verification.compiled if record.verification else None
        for listing in report.listings if report else ():
            if listing.kind == kind:
                lines = unpack(text_of(self._database, listing))
                return listings.ranged(kind, lines, start, cut=listing.cut)
        return listings.missing(kind, report)

    def _list(self) -> Answer:
        listed = []
        for name, problem in self._library.problems.items():
            listed.append(
                {
                    "problem": name,
                    "description": quoted(problem.definition.description or "", 200),
                    "devices": [b.device.name for b in self._benches.suiting(problem)],
                }
            )
        answer: Answer = {"problems": listed}
        if self._library.broken:
            answer["not_loaded"] = dict(self._library.broken)
        answer["next"] = "Call `get_problem` with one name."
        return answer

    def _problem(self, problem: Problem) -> Answer:
        definition = problem.definition
        answer: Answer = {
            "problem": problem.name,
            "description": quoted(definition.description or "", 600),
            "interface": show_problem.interface(definition),
            "calling": "run(inputs..., outputs...) in the order above; outputs are written.",
            "every_element": f"written, finite where the reference is, within {BEYOND:g} times the "
            "tolerance; inputs stay as they are.",
            "languages": self._languages,
            "devices": [self._device(problem, bench.device.name) for bench in
                        self._benches.suiting(problem)],
            "reference": definition.reference,
        }  # fmt: skip
        if definition.constant_inputs:
            answer["preparing"] = (
                "Calls share the constant inputs. Define prepare(constant inputs...) and it is run "
                "once for each set of them, untimed; run then takes the other inputs, what it "
                "returned, the outputs. Not with a launch plan."
            )
        if problem.warnings:
            answer["warnings"] = list(problem.warnings)
        answer["next"] = "Call `read_board`, then `claim_strategy`."
        return answer

    @cached_property
    def _languages(self) -> list[Answer]:
        # Looked for once: what is installed later counts from the next start on.
        listed = []
        for name, language in self._library.languages.items():
            reason = language.unavailable()
            state = f"not available here: {reason}" if reason else language.summary
            entry: Answer = {"language": name, "summary": state}
            devices = [(d.name, d.kind) for d in self._benches.devices()] if not reason else []
            limits = [f"{name}: {why}" for name, kind in devices if (why := language.runs_on(kind))
                      or (why := language.timed_on(kind))]  # fmt: skip
            if limits:
                entry["limits"] = limits
            listed.append(entry)
        return listed

    def _device(self, problem: Problem, name: str) -> Answer:
        device = self._benches.named(name).device
        answer: Answer = {
            "device": name,
            "hardware": device.hardware,
            "architecture": device.architecture,
        }
        if reason := self._benches.quarantined().get(name):
            answer["quarantined"] = (
                f"{reason} Nothing is judged here until its canary passes; it is tried again by "
                "itself. Go on writing, or claim on another device."
            )
        campaign = views.open_campaign(self._database, problem.name, name)
        if campaign is None:
            answer["baseline"] = "measured when the first strategy is claimed"
        else:
            answer["baseline"] = campaign.baseline.kind
            answer["champion"] = self._champion(campaign)
        answer["workloads"] = []
        for item in problem.workloads_for(device.kind):
            entry = show_problem.workload(item)
            if campaign is not None and item.uuid in campaign.baseline.latency_ms:
                latency_ms = campaign.baseline.latency_ms[item.uuid]
                entry["baseline_ms"] = show.rounded(latency_ms)
                entry |= show.bound(campaign.baseline.bounds.get(item.uuid), latency_ms)
            answer["workloads"].append(entry)
        return answer

    def _champion(self, campaign: Campaign) -> Answer:
        return show.champion(views.champion(self._database, campaign.id))


def _log(record: Submission) -> str:
    if record.verification is None:
        return "Not verified yet."
    lines = [record.verification.note, record.verification.compiled.messages]
    lines += [f"Hint: {hint}" for hint in record.verification.compiled.hints]
    for judgement in record.verification.judgements:
        outcome = judgement.evaluation
        lines.append(f"{judgement.workload}: {outcome.status}. {outcome.log}".rstrip())
    if record.decision is not None:
        lines.append(f"Decision: {record.decision.verdict.value}. {record.decision.reason}")
    if record.revoked:
        lines.append(f"Revoked since: {record.revoked}")
    return "\n".join(filter(None, lines)) or "Nothing was reported."


def _resources(record: Submission) -> str:
    kernels = record.verification.compiled.resources if record.verification else ()
    lines = [
        f"{k.kernel}: {k.registers} registers, {k.shared_bytes} bytes of shared memory, "
        f"{k.spill_bytes} bytes spilled"
        for k in kernels
    ]
    return "\n".join(lines) or "The compiler reported no resources."


def _evidence(record: Submission) -> str:
    if record.verification is None:
        return "Not verified yet."
    return "\n".join(evidence.digest(record.verification.compiled))


_PARTS = {
    "source": lambda r: r.solution.source,
    "log": _log,
    "resources": _resources,
    "evidence": _evidence,
}
"""The others are listings of machine code."""
