"""Whether a loop is one: of a constant few rounds it is a way of writing its body.

    head of a loop -> Fate

Start at `fate`. Not here: what its body does (`reading`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from coordinator.distance.facts import is_name
from coordinator.distance.preprocess import arguments
from coordinator.distance.program import Program

UNROLLED = 64
"""Rounds of a loop, known beforehand, that a tuned source may write out as well."""


@dataclass(frozen=True)
class Fate:
    """What becomes of a loop."""

    never: bool = False
    unrolled: bool = False
    variable: str = ""
    over: str = ""
    """What it takes its values from, if it goes over those of something."""
    start: tuple[str, ...] = ()
    """What is set before the first round."""
    head: tuple[str, ...] = ()
    """What says how long it goes on, and in which steps."""


def fate(head: Sequence[str], program: Program) -> Fate:
    """What becomes of a loop with this head."""
    if head[:1] in (("for",), ("while",)):
        return _of_python(head, program)
    parts: list[list[str]] = [[]]
    for word in head:
        if word == ";":
            parts.append([])
        else:
            parts[-1].append(word)
    if len(parts) < 3:
        dead = program.value(head) == 0
        variable, over = _ranged(head)
        return Fate(never=dead, variable=variable, over=over, head=tuple(head))
    start, until, step = parts[:3]
    variable = start[start.index("=") - 1] if "=" in start else _first_name(until)
    rest = [word for word in (*until, *step) if word != variable]
    rounds = _rounds(start, until, step, program)
    few = program.constant(rest) and (rounds is None or rounds <= UNROLLED)
    return Fate(
        never=rounds == 0,
        unrolled=few and bool(until),
        variable=variable,
        start=tuple(start),
        head=(*start, ";", *until, ";", *step),
    )


def _rounds(start: list[str], until: list[str], step: list[str], program: Program) -> int | None:
    """How many there are, where that is a constant."""
    first = program.value(start[start.index("=") + 1 :]) if "=" in start else None
    compared = [at for at, word in enumerate(until) if word in "<>"]
    if not compared:
        return None
    bound = program.value([word for word in until[compared[0] + 1 :] if word != "="])
    if bound is None:
        return None
    if until[compared[0]] == ">":
        # It counts down, or halves: from where it starts.
        return None if first is None else max(0, min(first - bound, UNROLLED))
    by = program.value(step[step.index("=") + 1 :]) if "=" in step else 1
    # Where the start is somebody's number of thread, there are no more rounds than from zero.
    return max(0, -(-(bound - (first or 0)) // max(1, abs(by or 1))))


def _of_python(head: Sequence[str], program: Program) -> Fate:
    if head[0] == "while":
        return Fate(never=program.value(head[1:]) == 0, head=tuple(head[1:]))
    variable = head[1] if len(head) > 1 else ""
    if "(" not in head:
        return Fate(variable=variable, head=tuple(head[2:]))
    at = head.index("(")
    called = head[at - 1].rpartition(".")[2]
    given, _ = arguments(list(head), at)
    given = [one for one in given if "=" not in one]
    values = [program.value(one) for one in given]
    few = called == "static_range"
    never = False
    if called in ("range", "static_range") and values and None not in values:
        known = [value for value in values if value is not None]
        low, high = (0, known[0]) if len(known) == 1 else (known[0], known[1])
        rounds = max(0, high - low) // max(1, abs(known[2]) if len(known) > 2 else 1)
        few, never = few or rounds <= UNROLLED, rounds == 0
    return Fate(never=never, unrolled=few, variable=variable, head=tuple(head[2:]))


def _ranged(head: Sequence[str]) -> tuple[str, str]:
    """Of a loop over the values of something: its variable, and of what."""
    if ":" not in head[1:]:
        return "", ""
    at = head.index(":")
    return head[at - 1], _first_name(head[at + 1 :])


def _first_name(words: Sequence[str]) -> str:
    return next((word for word in words if is_name(word)), "")
