"""How often the gate promotes what is no faster, and how often it finds what is.

    python -m benchmarks.false_promotion --live 100 --record pairs.json      real A/A duels
    python -m benchmarks.false_promotion --pairs-from pairs.json             30,000 drawn from them

Live, a solution fights itself through the real referee, by the rule of a campaign: every promotion
is a false one. Resampled, pairs are drawn from recorded ones, and gains and losses are added to
them. Both are decided by `guard.promotion` and `guard.gate` alone.

Start at `fight_itself`, and at `benchmarks._resampling`. Not here: how a pair is timed
(`guard.referee`).
"""

import asyncio
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from benchmarks._machine import Machine, machine
from benchmarks._resampling import Rate, resampled
from coordinator import contest
from coordinator.contest import Bout, fight
from coordinator.orders import Meter, Orders
from guard import gate, plugins
from guard.benchmark import noise_values
from guard.domain.decision import Policy, Terms
from guard.domain.trace import Duel
from guard.domain.value import Value
from guard.ports import DeviceIdentity, Referee
from guard.promotion import sigma, terms
from guard.referee.baseline import contenders

FORMAT = "sol_execbench"
EXECUTOR = "local"
ROOT = Path(__file__).resolve().parent.parent
SOFTMAX = ROOT / "examples" / "problems" / "softmax_rows"
GAINS = (0.0, 0.01, -0.01, 0.02, -0.02, 0.05, -0.05)
LONGEST_S = 600.0


class Pairs(Value):
    """Process pairs of one solution against itself, as they are kept in a file."""

    machine: Machine
    device: str
    problem: str
    solution: str
    """Its digest."""
    values: tuple[float, ...]
    """The log-ratio of each pair."""


class Live(Value):
    """Duels of a solution against itself."""

    handicap: float
    """The loss that was planted on one side (a fraction)."""
    rate: Rate
    detected: int
    """Duels that were not promoted, with an estimate below zero."""
    failed: int
    """Duels without figures, since one side failed."""
    sigma: float


class Found(NamedTuple):
    """What the live duels left."""

    live: Live
    pairs: list[float]


async def fight_itself(
    referee: Referee, bout: Bout, duels: int, seconds: float, said: Console
) -> Found:
    """Let a solution fight itself so many times; sigma grows as it does in a campaign."""
    policy, orders = bout.policy, Orders(referee)
    fair = bout.model_copy(update={"handicap": 0.0})
    noise = noise_values(await contest.fight_itself(orders, fair, Meter(None, 1)), policy)
    fought = promoted = detected = failed = pairs = 0
    clock = asyncio.get_running_loop().time
    began = clock()
    while fought < duels and clock() - began < seconds:
        fought += 1
        under = terms(fought, noise, policy)
        duel = await _duel(orders, bout, under)
        values = noise_values(duel, policy)
        pairs += len(values)
        won = gate.clears(duel, policy, under)
        promoted += won
        failed += not values
        detected += bool(values) and not won and gate.speedup(duel, policy).estimate < 1
        if not bout.handicap:
            noise += values
        said.print(f"{fought}: {', '.join(f'{x:+.3%}' for x in values)}{' PROMOTED' * won}")
    rate = Rate(gain=0.0, duels=fought, promoted=promoted, pairs=pairs / fought)
    spread = sigma(noise, policy)
    live = Live(handicap=bout.handicap, rate=rate, detected=detected, failed=failed, sigma=spread)
    return Found(live, noise)


async def _duel(orders: Orders, bout: Bout, under: Terms) -> Duel:
    policy = bout.policy
    return await fight(
        orders,
        bout,
        Meter(None, 1),
        lambda d: gate.needs_more(d, policy, under),
        most=policy.max_pairs,
    )


def main(
    live: Annotated[int, typer.Option(min=0, help="Real duels of a solution against itself.")] = 0,
    handicap: Annotated[float, typer.Option(help="Loss planted on one side (a fraction).")] = 0.0,
    pairs_from: Annotated[Path | None, typer.Option(help="Recorded pairs to draw from.")] = None,
    record: Annotated[Path | None, typer.Option(help="Keep the live pairs in this file.")] = None,
    duels: Annotated[int, typer.Option(min=1, help="Duels that are drawn per gain.")] = 30_000,
    problem: Annotated[Path, typer.Option(help="A problem's folder.")] = SOFTMAX,
    solution: Annotated[
        Path | None,
        typer.Option(help="Who fights itself; else the problem's baseline.py, or its reference."),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or nvidia.")] = "cpu",
    seconds: Annotated[float, typer.Option(help="Begin no duel after so long.")] = LONGEST_S,
    seed: Annotated[int, typer.Option(help="Of what is drawn.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print how often nothing was promoted, and how often a gain was."""
    if not live and pairs_from is None:
        raise typer.BadParameter("give --live, --pairs-from, or both")
    said = Console(stderr=True, quiet=as_json)
    host, found = machine(), None
    values: Sequence[float] = ()
    if live:
        bout, identity = _bout(problem, solution, device, handicap)
        found = asyncio.run(_live(bout, identity, live, seconds, said))
        values = found.pairs
        if record is not None:
            kept = Pairs(
                machine=host,
                device=device,
                problem=bout.problem.name,
                solution=bout.candidate.digest,
                values=tuple(found.pairs),
            )
            record.write_text(kept.model_dump_json(indent=1), "utf-8")
    if pairs_from is not None:
        values = Pairs.model_validate_json(pairs_from.read_text("utf-8")).values
    rng = random.Random(seed)
    rates = [resampled(values, gain, duels, rng, Policy()) for gain in GAINS if values]
    told = {
        "machine": host.model_dump(),
        "live": found.live.model_dump() if found else None,
        "pairs": len(values),
        "sigma": sigma(values, Policy()),
        "resampled": [{**r.model_dump(), "share": r.share, "at_most": r.at_most} for r in rates],
    }
    if as_json:
        print(json.dumps(told, indent=2))
    else:
        _print(Console(width=100), host, found.live if found else None, values, rates)


def _bout(
    folder: Path, path: Path | None, kind: str, handicap: float
) -> tuple[Bout, DeviceIdentity]:
    known = plugins.load("formats")[FORMAT]
    task = known.read(folder)
    found = contenders(task, passing=True)
    chosen = known.solution(path, task) if path else found.get("baseline.py", found["eager"])
    bout = Bout(
        job="false-promotion",
        problem=task,
        policy=Policy(),
        candidate=chosen,
        champion=chosen,
        handicap=handicap,
    )
    return bout, plugins.load("devices")[kind].found()[0]


async def _live(
    bout: Bout, identity: DeviceIdentity, duels: int, seconds: float, said: Console
) -> Found:
    referee: Referee = plugins.load("executors")[EXECUTOR].open(identity)
    try:
        return await fight_itself(referee, bout, duels, seconds, said)
    finally:
        await referee.close()


def _print(
    console: Console,
    host: Machine,
    live: Live | None,
    values: Sequence[float],
    rates: Sequence[Rate],
) -> None:
    console.print(host.line(), highlight=False)
    if live is not None:
        planted = f" with {live.handicap:+.1%} planted on one side" if live.handicap else ""
        console.print(
            f"live{planted}: {live.rate.promoted} of {live.rate.duels} promoted, {live.detected} "
            f"below zero, {live.failed} failed, {live.rate.pairs:.2f} pairs a duel, "
            f"sigma {live.sigma:.2%}"
        )
    table = Table("true gain", "duels drawn", "promoted", "share", "at most (95 %)", "pairs a duel")
    for rate in rates:
        cells = (f"{rate.gain:+.0%}", f"{rate.duels:,}", f"{rate.promoted:,}", f"{rate.share:.4%}")
        table.add_row(*cells, f"{rate.at_most:.4%}", f"{rate.pairs:.2f}")
    console.print(f"drawn from {len(values)} pairs, sigma {sigma(values, Policy()):.2%}")
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
