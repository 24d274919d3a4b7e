"""The lines of a report that tell of cost, exploration, and where promotions came from.

Start at `team`. Not here: the facts (`ledger`), the page they stand on (`report_text`).
"""

from collections.abc import Iterator
from typing import Any

_NAMED = 3
"""Conclusions and submissions that one line names; the rest is in the JSON report."""


def team(told: dict[str, Any]) -> Iterator[str]:
    """How the campaign as a whole did."""
    course, ledger, found = told["course"], told["ledger"], told["exploration"]
    if course["stopped"]:
        yield f"  STOPPED at its limit, {course['stopped']}"
    elif course["paused"]:
        yield "  paused (kernelarc campaign resume)"
    outcomes = ", ".join(f"{count} {name}" for name, count in ledger["outcomes"].items())
    yield f"  outcomes: {outcomes or 'none yet'}"
    spent, house = ledger["spent"], ledger["house"]
    yield f"  spent: {_seconds(spent)}; of these {house['device_s']:.4g} s device by the house"
    yield (
        f"  explored: {found['lanes']} lanes, {found['strategies']} strategies, {found['ideas']} "
        f"ideas in {found['compared']} benchmarked; {_share(found['redundancy'])} answered from "
        f"the record; fairness {_figure(found['fairness'])}"
    )
    if best := found["best"]:
        yield (
            f"  best after {best['wall_s']:.0f} s and {best['device_s']:.4g} device s; gain per "
            f"device second: {_figure(best['gain_per_device_s'])} (log units)"
        )


def agent(row: dict[str, Any]) -> str:
    """One agent's account."""
    outcomes = ", ".join(f"{count} {name}" for name, count in row["outcomes"].items())
    models = f", {', '.join(row['models'])}" if row["models"] else ""
    paid = f", {row['tokens']:,} tokens, {row['cost_usd']:.4g} $" if row["tokens"] else ""
    seconds = " + ".join(f"{row[name]:.4g}" for name in ("device_s", "compile_s", "wait_s"))
    return (
        f"{row['agent']}: gain {row['gain']:.3g}, {seconds} s{models}{paid}; "
        f"{row['candidates']} candidates: {outcomes or 'none'}"
    )


def lane(row: dict[str, Any]) -> str:
    """One lane's account."""
    best = f"best {row['best_speedup']:.4g}" if row["best_speedup"] is not None else "nothing timed"
    return (
        f"{row['lane']}: {row['claims']} claims, {row['candidates']} candidates, "
        f"{row['benchmarked']} benchmarked, {row['promoted']} promoted, {best}, "
        f"gain {row['gain']:.3g}, {row['device_s']:.4g} device s"
    )


def origin(row: dict[str, Any]) -> str:
    """What stood before one promotion."""
    parts = []
    if row["cited_conclusions"]:
        parts.append(f"grew from what {_conclusions(row['cited_conclusions'])} cites")
    elif row["builds_on_siblings"]:
        named = ", ".join(map(str, row["builds_on_siblings"][:_NAMED]))
        parts.append(f"builds on a sibling's submission {named}")
    if row["read_conclusions"]:
        parts.append(f"had read {_conclusions(row['read_conclusions'])}")
    if row["forced"]:
        parts.append(f"forced change: {row['forced']}")
    told = "; ".join(parts) or "its agent's own road"
    return f"submission {row['submission_id']} by {row['agent']}, {row['strategy']}: {told}"


def _conclusions(found: list[dict[str, Any]]) -> str:
    named = ", ".join(f"{c['agent']}'s {c['kind']} {c['seq']}" for c in found[-_NAMED:])
    return named + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else "")


def _seconds(spent: dict[str, Any]) -> str:
    return (
        f"{spent['device_s']:.4g} s device, {spent['compile_s']:.4g} s compiling, "
        f"{spent['wait_s']:.4g} s waiting"
    )


def _share(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.0%}"


def _figure(value: float | None) -> str:
    return "not known" if value is None else f"{value:.3g}"
