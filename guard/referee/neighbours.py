"""Hidden neighbours: shapes near the listed ones, drawn afresh for every verification.

A candidate must be right on them too; how fast it is there is nobody's business. Each is a listed
workload of which open axes have another size: off by one, a prime, no multiple of 8, or 1. None
takes more memory than the largest listed workload.

    Problem × randomness -> `Neighbour`s -> those on which the reference itself serves

Start at `drawn`. Not here: judging a candidate on them (`verification`).
"""

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from guard.domain.expression import BadExpression, names_in
from guard.domain.problem import Definition, ExprAxis, Problem, VarAxis, Workload
from guard.domain.trace import HIDDEN
from guard.referee.court import Court, fresh_seed
from guard.referee.inputs import is_custom
from guard.referee.reference import Reference, ReferenceFailed, expected
from guard.referee.slots import Layout, Slots

WANTED = 3
"""Neighbours of a problem in one verification."""
DRAWS = 24
"""Shapes tried before a problem gets along with fewer."""
UNMOVED = 0.25
"""Chance that a further open axis keeps its listed size."""


class Kind(StrEnum):
    """How an axis's size differs from a listed one."""

    OFF_BY_ONE = "off by one"
    PRIME = "a prime"
    ODD = "not a multiple of 8"
    ONE = "1"


MOVES = (Kind.OFF_BY_ONE, Kind.PRIME, Kind.ODD)


@dataclass(frozen=True)
class Neighbour:
    """One hidden shape."""

    workload: Workload
    shape: str
    """What is unusual about it, in words that name no size but 1."""


@dataclass
class Drawn:
    """The neighbours of one verification, and why others were given up."""

    neighbours: list[Neighbour] = field(default_factory=list)
    given_up: list[str] = field(default_factory=list)


def open_axes(definition: Definition, workload: Workload) -> tuple[str, ...]:
    """The axes that may take sizes no file lists.

    A custom generator fixes all axes: what it draws may hang together in ways that only its author
    knows. A stored tensor fixes those of its shape.
    """
    if is_custom(workload):
        return ()
    fixed: set[str] = set()
    for name, spec in definition.inputs.items():
        if workload.inputs[name].type == "safetensors":
            fixed |= _below(definition, spec.shape or ())
    return tuple(
        name
        for name, axis in definition.axes.items()
        if isinstance(axis, VarAxis) and not axis.closed and name not in fixed
    )


def drawn(court: Court, problem: Problem, reference: Reference) -> Drawn:
    """Draw neighbours on which the reference itself serves, within a number of tries.

    Served: it runs, is finite, and stays within half the tolerance of its float64 run, as is asked
    of the other input classes that a problem's author did not list.
    """
    found = Drawn()
    random = Random(secrets.randbits(128))
    for shape in _shapes(problem, court.identity.kind, random):
        court.check_cancelled()
        reason = _unfit(court, problem, shape.workload, reference)
        if reason:
            found.given_up.append(f"{shape.shape}: {reason}")
        else:
            uuid = f"{HIDDEN}{len(found.neighbours) + 1}"
            named = shape.workload.model_copy(update={"uuid": uuid})
            found.neighbours.append(Neighbour(named, shape.shape))
        if len(found.neighbours) == WANTED:
            break
    return found


def _below(definition: Definition, names: Sequence[str]) -> set[str]:
    """These axes, and all that their expressions use."""
    found: set[str] = set()
    waiting = [name for name in names if not name.isdecimal()]
    while waiting:
        name = waiting.pop()
        axis = definition.axes[name]
        if name not in found and isinstance(axis, ExprAxis):
            waiting += names_in(axis.expression)
        found.add(name)
    return found


def _shapes(problem: Problem, device_kind: str, random: Random) -> Iterator[Neighbour]:
    """Different shapes that no file lists, each kind in its turn."""
    definition, listed = problem.definition, problem.workloads_for(device_kind)
    most_bytes = max(Layout.of(definition, w).call_bytes for w in listed)
    bases = [w for w in listed if open_axes(definition, w)]
    seen = [w.axes for w in listed]
    for number in range(DRAWS if bases else 0):
        # A single row or column is an edge over which kernels fall; one of these is enough.
        kind = random.choice(MOVES) if number else Kind.ONE
        shape = _moved(definition, random.choice(bases), kind, random)
        if shape.workload.axes in seen:
            continue
        seen.append(shape.workload.axes)
        try:
            if Layout.of(definition, shape.workload).call_bytes <= most_bytes:
                yield shape
        except BadExpression:
            # These sizes do not go together, as a width that the number of heads does not divide.
            continue


def _moved(definition: Definition, base: Workload, first: Kind, random: Random) -> Neighbour:
    """A listed workload with at least one axis moved; at most one has size 1."""
    axes = list(open_axes(definition, base))
    random.shuffle(axes)
    sizes, told = dict(base.axes), {}
    for number, axis in enumerate(axes):
        if number and random.random() < UNMOVED:
            continue
        kind = random.choice(MOVES) if number else first
        sizes[axis] = _SIZES[kind](base.axes[axis], random)
        if sizes[axis] != base.axes[axis]:
            told[axis] = kind
    shape = ", ".join(f"{axis} {told[axis]}" for axis in base.axes if axis in told)
    return Neighbour(base.model_copy(update={"axes": sizes}), shape)


def _off_by_one(size: int, random: Random) -> int:
    return max(1, size + random.choice((-1, 1)))


def _prime(size: int, random: Random) -> int:
    found = random.randint(size // 2 + 1, max(2, size))
    while not _is_prime(found):
        found -= 1
    return found


def _is_prime(number: int) -> bool:
    # Axes are short: the longest root is some thousands.
    return number <= 2 or all(number % d for d in range(2, int(number**0.5) + 1))


def _odd(size: int, random: Random) -> int:
    found = random.randint(size // 2 + 1, max(1, size))
    return found - (found % 8 == 0)


def _one(size: int, random: Random) -> int:
    return 1


_SIZES: dict[Kind, Callable[[int, Random], int]] = {
    Kind.OFF_BY_ONE: _off_by_one,
    Kind.PRIME: _prime,
    Kind.ODD: _odd,
    Kind.ONE: _one,
}


def _unfit(court: Court, problem: Problem, workload: Workload, reference: Reference) -> str:
    """Why the reference does not serve on this shape, or nothing."""
    layout = Layout.of(problem.definition, workload)
    arena = court.device.allocate(court.identity, layout.call_bytes)
    try:
        slots = Slots(layout, arena, 1, reference, problem.folder)
        slots.draw_scalars(fresh_seed())
        slots.draw_constants(fresh_seed())
        slots.refresh([0], fresh_seed())
        # Any class but `listed` asks for half the tolerance.
        right = expected(
            reference, slots.arguments(0), layout.sizes, workload.tolerance, input_class=HIDDEN
        )
    except ReferenceFailed as error:
        return str(error)
    finally:
        arena.close()
    return "" if right else "the reference fails there, or is not within half the tolerance"
