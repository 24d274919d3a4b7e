"""A report's facts as one screen of text.

Start at `written`. Not here: the facts (`report`).
"""

from collections.abc import Iterator
from typing import Any

from server.ledger_text import agent, lane, origin, team

WIDTH = 110
SHOWN = 6
"""Lines of one section; the rest is in the JSON report."""


def written(told: dict[str, Any]) -> str:
    """The whole report."""
    if told["campaign"] is None:
        return "No campaign has been started yet."
    lines, empty, agents = [*_heading(told)], [], told["ledger"]["agents"]
    for title, rows in (
        ("Revoked", list(map(_revoked, told["revoked"]))),
        ("Leaderboard", list(map(_ranked, told["leaderboard"]))),
        ("Wins", list(map(_conclusion, told["wins"]))),
        ("Traps", list(map(_conclusion, told["traps"]))),
        ("Agents (seconds of device + compiling + waiting)", list(map(agent, agents))),
        ("Lanes", list(map(lane, told["lanes"]))),
        ("Where promotions came from", list(map(origin, told["promotions"]))),
        ("Who held which strategy", list(map(_claim, told["claims"]))),
        ("Why they got it", list(map(_why, told["claims"]))),
        ("Forced changes", list(map(_forced, told["forced_changes"]))),
        ("Refused", list(map(_refused, told["refused"]))),
        ("Health of the gate", list(_health(told["health"]))),
    ):
        lines += _section(title, rows)
        empty += [title] if not rows else []
    if empty:
        lines.append(f"None: {', '.join(empty)}")
    return "\n".join(line[:WIDTH] for line in lines)


def _heading(told: dict[str, Any]) -> Iterator[str]:
    campaign, champion, counts = told["campaign"], told["champion"], told["counts"]
    ended = campaign["ended"] or told["course"]["stopped_at"] or "now"
    yield f"{campaign['problem']} on {campaign['device']} ({campaign['hardware']})"
    yield f"  {campaign['started']} to {ended}; baseline: {told['baseline']['kind']}"
    if not told["baseline"]["admitted"]:
        yield "  not admitted: a wrong answer passes for right here (kernelarc problem check)"
    if told["conditions"]:
        yield f"  {told['conditions']}"
    if champion["submission_id"]:
        yield (
            f"  champion: submission {champion['submission_id']} by {champion['agent']}, "
            f"{champion['language']}, {champion['strategy']}"
        )
        yield f"  speedup over the baseline: {_speedup(told['speedup'])}"
    else:
        yield "  champion: the baseline; nothing was promoted"
    yield (
        f"  {counts['submissions']} submissions, {counts['verified']} correct, "
        f"{counts['benchmarked']} benchmarked: {counts['promoted']} promoted, "
        f"{counts['accepted']} accepted, {counts['reverted']} reverted, "
        f"{counts['suspect']} suspect, {counts['rejected']} rejected"
    )
    yield from team(told)


def _section(title: str, rows: list[str]) -> Iterator[str]:
    if not rows:
        return
    yield f"{title}:"
    # A newline in what an agent wrote must not begin a line of the report.
    yield from (f"  {row}".replace("\n", " ") for row in rows[:SHOWN])
    if len(rows) > SHOWN:
        yield f"  and {len(rows) - SHOWN} more (see --json)"


def _speedup(value: dict[str, Any] | None) -> str:
    if value is None:
        return "not timed"
    mark = ", derived" if value["derived"] else ""
    low, high = value["low"], value["high"]
    return f"{value['estimate']:.4g} (95 % interval {low:.4g} to {high:.4g}{mark})"


def _ranked(row: dict[str, Any]) -> str:
    return (
        f"{_speedup(row['speedup'])}  {row['decision']}  submission {row['submission_id']} by "
        f"{row['agent']}, {row['language']}, {row['strategy']} ({row['adherence']})"
    )


def _conclusion(row: dict[str, Any]) -> str:
    gain = f" ({row['speedup']:.4g} times the baseline)" if row["speedup"] else ""
    mark = f"OVERTURNED ({row['overturned']}) " if row["overturned"] else ""
    return f"{mark}{row['strategy']}, {row['agent']}: {row['note']}{gain}"


def _revoked(row: dict[str, Any]) -> str:
    return f"{row['at'][11:]}  submission {row['submission_id']} by {row['agent']}: {row['reason']}"


def _claim(row: dict[str, Any]) -> str:
    until = row["to"][11:] if row["to"] else "now"
    followed = f"{row['on_strategy']} on strategy, {row['off_strategy']} off"
    return (
        f"{row['from'][11:]} to {until}  {row['agent']}: {row['strategy']} ({row['state']}), "
        f"{followed}"
    )


def _why(row: dict[str, Any]) -> str:
    # Which strategy it is stands in the same line of the section before.
    return f"{row['agent']}: {row['why']}"


def _forced(row: dict[str, Any]) -> str:
    to = row["to_strategy"] or "nothing yet"
    return f"{row['at'][11:]}  {row['agent']}: {row['from_strategy']} -> {to}, {row['because']}"


def _refused(row: dict[str, Any]) -> str:
    log = " ".join(row["log"].split())
    return f"submission {row['submission_id']} by {row['agent']}: {row['status']}. {log}"


def _health(found: dict[str, Any]) -> Iterator[str]:
    yield f"sigma {found['sigma']:.2%} of a process pair, from {found['aa_pairs']} A/A pairs"
    yield f"{found['aa_duels']} A/A duels: {found['false_promotions']} false promotions"
    yield f"{found['planted_losses']} planted losses: {found['planted_losses_missed']} missed"
    for grand in found["grand_duels"]:
        yield (
            f"submission {grand['submission_id']} against {grand['against_submission_id']}: "
            f"{grand['ratio']:.4g} ({grand['low']:.4g} to {grand['high']:.4g}), gains so far "
            f"{grand['expected']:.4g}"
        )
