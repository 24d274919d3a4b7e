"""Judge every candidate of a pool once, by the real guard, and keep what was timed.

    baseline -> A/A pairs ... candidate -> verification -> pairs against the baseline -> Outcome

One line of JSON as soon as each is known; stopped at any moment, it goes on where it was. The order
is drawn by lot, so that a host that grows busy favours no part of the pool, and the baseline fights
itself again and again between them: those pairs know how noisy the host was all the while.

Start at `judge`. Not here: what the runs make of it (`recorded`).
"""

import random
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from statistics import median

from pydantic import ValidationError

from benchmarks._machine import Machine, machine
from benchmarks.study.space import Design
from benchmarks.study.templates import Pool
from coordinator.contest import Bout, fight
from coordinator.orders import Meter, Orders
from guard import gate, plugins
from guard.benchmark import turns, usable
from guard.domain.decision import Policy, Verdict
from guard.domain.solution import Solution
from guard.domain.trace import Baseline, Duel
from guard.domain.value import Value
from guard.promotion import terms
from guard.wire import BaselineOrder, BaselineReport, VerifyOrder, VerifyReport

EXECUTOR = "local"
PAIRS = 3
"""Process pairs of a candidate against the baseline."""
TURNS = 6
"""Turns of a pair: more than in a campaign, since the host may be shared with others."""
FIRST_AA = 8
"""Pairs of the baseline against itself before the first candidate."""
AA_EVERY = 10
"""Candidates after which it fights itself once more."""


class Timing(Value):
    """One workload in one process pair."""

    baseline_ms: float
    gain: float
    """Median over turns of the log-ratio of baseline and candidate."""


Pair = dict[str, Timing]
"""By workload."""


class Header(Value):
    """The first line: who was judged, where, and against what."""

    pool: str
    machine: Machine
    baseline: Baseline


class Noise(Value):
    """Pairs of the baseline against itself."""

    aa: tuple[Pair, ...]


class Outcome(Value):
    """What became of one candidate."""

    design: Design
    digest: str
    verdict: Verdict
    """Against the baseline; rejected where it failed."""
    reason: str
    pairs: tuple[Pair, ...]


Line = Header | Outcome | Noise


def read(file: Path) -> list[Line]:
    """The lines of a file; one that was cut off is left out."""
    found: list[Line] = []
    for text in file.read_text("utf-8").splitlines() if file.exists() else ():
        for kind in (Outcome, Noise, Header):
            try:
                found.append(kind.model_validate_json(text))
            except ValidationError:
                continue
            break
    return found


async def judge(name: str, pool: Pool, file: Path) -> AsyncIterator[tuple[int, int]]:
    """Judge what the file lacks; tells how many candidates are judged, of how many."""
    lines = read(file)
    done = {line.design for line in lines if isinstance(line, Outcome)}
    designs = pool.designs()
    random.Random(name).shuffle(designs)
    missing = [design for design in designs if design not in done]
    yield len(done), len(designs)
    if not missing:
        return
    device = plugins.load("devices")["cpu"].found()[0]
    referee = plugins.load("executors")[EXECUTOR].open(device)
    try:
        bench = _Bench(pool, Orders(referee), file)
        await bench.begin(name, lines)
        for number, design in enumerate(missing, 1):
            await bench.judge(design)
            if number % AA_EVERY == 0:
                await bench.watch(1)
            yield len(done) + number, len(designs)
    finally:
        await referee.close()


class _Bench:
    """One session of judging."""

    def __init__(self, pool: Pool, orders: Orders, file: Path) -> None:
        self._pool = pool
        self._orders = orders
        self._file = file
        self._policy = Policy(turns=TURNS)

    async def begin(self, name: str, lines: Sequence[Line]) -> None:
        """Find the baseline, and how it fares against itself; or take both from the file."""
        header = next((line for line in lines if isinstance(line, Header)), None)
        if header is None:
            order = BaselineOrder(job="pool", problem=self._pool.problem, policy=self._policy)
            report = await self._orders.place(order, BaselineReport)
            header = Header(pool=name, machine=machine(), baseline=report.baseline)
            self._keep(header)
        self._baseline = header.baseline
        await self.watch(FIRST_AA)

    async def watch(self, pairs: int) -> None:
        """Let the baseline fight itself."""
        duel = await self._duel(self._baseline.solution, pairs)
        self._keep(Noise(aa=pairs_of(duel)))

    async def judge(self, design: Design) -> None:
        """Verify a candidate and time it against the baseline."""
        solution = self._pool.solution(design)
        order = VerifyOrder(
            job="pool", problem=self._pool.problem, solution=solution, policy=self._policy
        )
        verification = (await self._orders.place(order, VerifyReport)).verification
        duel = Duel(champion=self._baseline.solution.digest, candidate=solution.digest, pairs=())
        if verification.passed:
            duel = await self._duel(solution, PAIRS)
        under, known = terms(1, (), self._policy), self._baseline
        decision = gate.decide(verification, duel, self._policy, under, known.loose, known.bounds)
        self._keep(
            Outcome(
                design=design,
                digest=solution.digest,
                verdict=decision.verdict,
                reason=decision.reason,
                pairs=pairs_of(duel),
            )
        )

    async def _duel(self, candidate: Solution, pairs: int) -> Duel:
        bout = Bout(
            job="pool",
            problem=self._pool.problem,
            policy=self._policy,
            candidate=candidate,
            champion=self._baseline.solution,
        )
        return await fight(self._orders, bout, Meter(None, 1), lambda _: True, most=pairs)

    def _keep(self, line: Line) -> None:
        with self._file.open("a", encoding="utf-8") as file:
            file.write(line.model_dump_json() + "\n")


def pairs_of(duel: Duel) -> tuple[Pair, ...]:
    """The pairs of a duel that timed every workload, in two figures each."""
    whole = [pair for pair in duel.pairs if all(usable(t) for t in pair.workloads)]
    return tuple(
        {
            t.workload: Timing(
                baseline_ms=round(median(t.champion_ms), 6), gain=round(median(turns(t)), 6)
            )
            for t in pair.workloads
        }
        for pair in whole
    )
