"""What a call is given, and a function that stands inside another.

Start at `Given`. Not here: how calls are followed (`calling`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from coordinator.distance.syntax import Expression
from coordinator.distance.tree import Node
from coordinator.distance.values import Cell, Known


@dataclass(frozen=True)
class Closure:
    """A function that stands inside another."""

    node: Node
    scope: dict[str, Cell]


@dataclass(frozen=True)
class Given:
    """What a call is given."""

    expressions: tuple[Expression, ...] = ()
    values: tuple[Known, ...] = ()
    named: Mapping[str, Known] = field(default_factory=dict)
