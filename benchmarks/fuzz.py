"""Mutated submissions through the real HTTP door: is every answer one that a client can act on?

    python -m benchmarks.fuzz --count 2000 [--seed 7]

Random bytes in sources, launch plans, options and arguments of every tool, sometimes in the request
itself, and in the problem folders that the server starts with. Good answers are a result, an error
with a code that is not the house's failure, or the protocol's own refusal; a job must come to an
end that is not *lost*. No answer may show a traceback, and none may take longer than the limit.
Ends with 1 when one does. Start at `fuzz`. Not here: the mutations (`_mutate`).
"""

import asyncio
import json
import random
import re
import shutil
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import httpx2
import typer
from rich.console import Console
from rich.table import Table

from benchmarks import _mutate
from benchmarks._growth import Look, look
from benchmarks._stage import SOFTMAX, HastyServer, small_softmax
from benchmarks.fault_soak import HONEST, PROBLEM, WAITING, NoClaim
from examples.team.plan import SOLUTIONS

AGENTS = 4
ANSWER_LIMIT_S = 120.0
DEFINITIONS_EACH = 20
"""One mutated problem folder for so many submissions."""
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}
REFUSED_STATUS = (400, 404, 405, 406, 413, 415, 422)
ERROR_FIELDS = {"code", "message", "retryable", "retry_after_s", "hint"}
# The house's own frames or types; a candidate's own words are quoted and may say anything.
TRACE = re.compile(
    r"Traceback \(most recent|File \"[^\"]*/(server|coordinator|memory|mcp)/|pydantic"
)
CPP = (SOLUTIONS / PROBLEM / "compute" / "plain_loops.cpp").read_text("utf-8")
PLAN = json.dumps(
    {
        "kernels": [
            {
                "kernel": "softmax", "grid": ["M"], "block": ["256"], "shared_bytes": "0",
                "arguments": ["x", "tmp", "y", "int32:N"],
            }
        ],
        "workspaces": {"tmp": "M*4"},
    }
)  # fmt: skip
CUDA = 'extern "C" __global__ void softmax(float* x, float* tmp, float* y, int n) {}\n'


@dataclass
class Findings:
    """What came back."""

    answers: Counter[str] = field(default_factory=Counter)
    """By kind: ``result``, the code of an error, the protocol's refusal."""
    violations: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    problems: Counter[str] = field(default_factory=Counter)
    samples: list[Look] = field(default_factory=list)


class Fuzzer:
    """One agent with a good claim and bad manners."""

    def __init__(self, url: str, http: httpx2.AsyncClient, found: Findings, seed: str) -> None:
        self._url = url
        self._http = http
        self._found = found
        self._draw = random.Random(seed)
        self._agent = f"fuzzer-{seed.rpartition(':')[2]}"
        self._claim_id = ""

    async def work(self, count: int) -> None:
        """Send so many bad calls; each job among them is waited for."""
        for _ in range(count):
            await self._claim()
            tool, good = self._draw.choice(self._good())
            given = _mutate.arguments(self._draw, good)
            told = await self._send(tool, _mutate.request(self._draw, tool, given))
            while told.get("state") in ("queued", "running"):
                wait = {"job_ids": [told["job_id"]], "wait_s": 45}
                told = await self._send("job_wait", _body("job_wait", wait))
            if told.get("state") == "lost":
                self._violation("a job was lost", tool, json.dumps(told))

    async def _claim(self) -> None:
        """Hold a claim, whatever a mutated call did to the last one.

        Raises:
            NoClaim: the server gives none, so nothing could be handed in.
        """
        wanted = {"problem": PROBLEM, "agent": self._agent, "device": "cpu"}
        told = await self._send("claim_strategy", _body("claim_strategy", wanted))
        while told.get("status") in WAITING:
            await asyncio.sleep(0.2)
            told = await self._send("claim_strategy", _body("claim_strategy", wanted))
        if told.get("status") != "granted":
            raise NoClaim(json.dumps(told))
        self._claim_id = told["claim_id"]

    def _good(self) -> list[tuple[str, dict[str, Any]]]:
        mine = {"claim_id": self._claim_id}
        submit = {**mine, "entry_point": "run", "options": "", "builds_on": [], "wait_s": 30}
        lesson = {"strategy_note": "a note", "reflection": "because", "submission_ids": [1]}
        plain = {"destination_passing_style": True}
        submissions = [
            {**submit, **plain, "language": "pytorch", "source": HONEST},
            {**submit, **plain, "language": "cpp", "source": CPP, "options": "-O3"},
            {**submit, "language": "triton", "source": HONEST},
            {**submit, "language": "cuda", "source": CUDA, "launch_plan": PLAN},
        ]
        others: list[tuple[str, dict[str, Any]]] = [
            ("get_problem", {"problem": PROBLEM}),
            ("read_board", {"problem": PROBLEM, "since": 0, "kind": "win", "budget": 500}),
            ("get_solution", {"submission_id": 1, "part": "log", "offset": 0}),
            ("job_wait", {"job_ids": ["j_1"], "wait_s": 0}),
            ("job_cancel", {"job_id": "j_1"}),
            ("post_conclusion", {**mine, "kind": "win", **lesson}),
            ("release_claim", {**mine, "outcome": "done", "model": "m", "tokens": 1}),
            ("benchmark", {"submission_id": 999_999, "wait_s": 0}),
        ]
        # Two of three calls hand something in.
        return [("compile_and_verify", given) for given in submissions] * 4 + others

    async def _send(self, tool: str, body: bytes) -> dict[str, Any]:
        """Send a request and hold its answer to what was promised; the facts of a result."""
        began = time.monotonic()
        try:
            response = await self._http.post(self._url, content=body, headers=HEADERS)
        except httpx2.HTTPError as error:
            self._violation(f"no answer: {type(error).__name__}", tool, repr(body[:300]))
            return {}
        self._found.slowest_s = max(self._found.slowest_s, time.monotonic() - began)
        kind, facts, shown = _read(response)
        self._found.answers[kind] += 1
        if kind.startswith("broken") or kind == "house_error":
            self._violation(kind, tool, f"{body[:600]!r} -> {shown[:600]}")
        elif TRACE.search(_trusted(shown, facts)):
            self._violation("a traceback", tool, f"{body[:600]!r} -> {shown[:900]}")
        return facts

    def _violation(self, what: str, tool: str, evidence: str) -> None:
        self._found.violations.append(f"{what} ({tool}): {evidence}")


def _body(tool: str, given: dict[str, Any]) -> bytes:
    params = {"name": tool, "arguments": given}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(request).encode()


def _read(response: httpx2.Response) -> tuple[str, dict[str, Any], str]:
    """The kind of an answer, its facts when it is a result, and its text."""
    shown = response.text
    if response.status_code in REFUSED_STATUS:
        return f"HTTP {response.status_code}", {}, shown
    if response.status_code == 202 and not shown:
        return "HTTP 202 (a notification)", {}, shown
    if response.status_code != 200:
        return f"broken: HTTP {response.status_code}", {}, shown
    lines = [line[5:] for line in shown.splitlines() if line.startswith("data:")]
    messages = [json.loads(line) for line in lines if line.strip()] or [json.loads(shown)]
    answer = messages[-1]
    if "error" in answer:
        return f"protocol error {answer['error'].get('code')}", {}, shown
    result = answer.get("result")
    if not isinstance(result, dict) or "content" not in result:
        return ("other method" if isinstance(result, dict) else "broken: no result"), {}, shown
    facts = result.get("structuredContent")
    if not isinstance(facts, dict):
        return "broken: no structured content", {}, shown
    if not result.get("isError"):
        # How far a submission came: what follows are numbers of workloads.
        verdict = re.split(r" (?:on|workloads)", str(facts.get("verdict", "")))[0]
        return ": ".join(filter(None, ("result", verdict))), facts, shown
    if set(facts) >= ERROR_FIELDS:
        return str(facts["code"]), {}, shown
    return "broken: an error without its fields", {}, shown


def _trusted(shown: str, facts: dict[str, Any]) -> str:
    """What the house itself says: without quoted text, when that can be told apart."""
    if not facts:
        return shown
    return json.dumps(_without_quoted(facts))


def _without_quoted(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if not k.startswith("untrusted_")}
        return {k: _without_quoted(v) for k, v in kept.items() if k != "reference"}
    return [_without_quoted(v) for v in value] if isinstance(value, list) else value


def mutated_problems(folder: Path, count: int, draw: random.Random) -> None:
    """Problem folders with noise in one of their files."""
    for number in range(count):
        place = folder / f"mutated_{number}"
        shutil.copytree(SOFTMAX, place)
        path = draw.choice(sorted(p for p in place.iterdir() if p.suffix in (".json", ".jsonl")))
        good = path.read_text("utf-8")
        if path.suffix == ".json" and draw.random() < 0.6:
            bad = json.dumps(_mutate.value(draw, json.loads(good)))
        else:
            bad = _mutate.text(draw, good)
        path.write_bytes(bad.encode("utf-8", "surrogatepass"))


async def _problems(http: httpx2.AsyncClient, url: str, count: int, found: Findings) -> None:
    """Every mutated folder is listed, or said not to be loaded; each that is can be shown."""
    asking = Fuzzer(url, http, found, "problems")
    listed = await asking._send("get_problem", _body("get_problem", {}))
    for number in range(count):
        name = f"mutated_{number}"
        told = await asking._send("get_problem", _body("get_problem", {"problem": name}))
        found.problems["loaded" if told else "refused"] += 1
    if not listed.get("problems"):
        found.violations.append("the list of problems is empty")


async def _all(server: HastyServer, count: int, folders: int, seed: int) -> Findings:
    found = Findings()
    async with httpx2.AsyncClient(timeout=httpx2.Timeout(ANSWER_LIMIT_S)) as http:
        await _problems(http, server.url, folders, found)
        agents = [Fuzzer(server.url, http, found, f"{seed}:{n}") for n in range(AGENTS)]
        await asyncio.gather(*(agent._claim() for agent in agents))
        found.samples.append(look(server.pid))
        shares = [len(range(n, count, AGENTS)) for n in range(AGENTS)]
        await asyncio.gather(*(a.work(share) for a, share in zip(agents, shares, strict=True)))
        found.samples.append(look(server.pid))
        page = await http.get(server.url.removesuffix("/mcp") + "/healthz")
    if page.status_code != 200 or page.json().get("quarantined"):
        found.violations.append(f"the server is not healthy: {page.text}")
    return found


def fuzz(count: int, seed: int, folder: Path) -> Findings:
    """Run it in this folder."""
    folders = max(1, count // DEFINITIONS_EACH)
    small_softmax(folder / "problems")
    mutated_problems(folder / "problems", folders, random.Random(seed))
    with HastyServer(folder) as server:
        return asyncio.run(_all(server, count, folders, seed))


def main(
    count: Annotated[int, typer.Option(help="Mutated submissions and other calls.")] = 2000,
    seed: Annotated[int | None, typer.Option(help="Repeat the calls of another run.")] = None,
    folder: Annotated[Path | None, typer.Option(help="For database and log.")] = None,
) -> None:
    """Print what came back, by kind, and every answer that should not have been."""
    chosen = seed if seed is not None else random.randrange(2**32)
    place = folder or Path(tempfile.mkdtemp(prefix="kernelarc-fuzz-"))
    console = Console(width=100)
    console.print(f"seed {chosen}, folder {place}")
    began = time.monotonic()
    found = fuzz(count, chosen, place)
    table = Table("answer", "times")
    for kind, times in found.answers.most_common():
        table.add_row(kind, str(times))
    console.print(table)
    for role in found.samples[0]:
        first, last = (sample[role] for sample in found.samples)
        console.print(
            f"{role}: {first[0] / 2**20:.1f} MiB and {first[1]} descriptors at the start, "
            f"{last[0] / 2**20:.1f} MiB and {last[1]} at the end"
        )
    console.print(
        f"{count} mutated calls, {dict(found.problems)} mutated problem folders, slowest answer "
        f"{found.slowest_s:.1f} s, {time.monotonic() - began:.0f} s in all"
    )
    for violation in found.violations:
        console.print(f"VIOLATION: {violation}", markup=False)
    raise typer.Exit(1 if found.violations else 0)


if __name__ == "__main__":
    typer.run(main)
