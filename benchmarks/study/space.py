"""What agents of the study choose among: knobs, and the strategies that turn them.

    Design = one option per knob        Setting = (knob, option)        Angle = strategy -> settings

Start at `Space`. Not here: what a design is worth (`evaluator`), who chooses (`policy`).
"""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from guard.domain.value import Value

Design = tuple[int, ...]
"""One option per knob, by number."""
Setting = tuple[int, int]
"""A knob and one of its options, by number."""


class Knob(Value):
    """One choice in the making of a candidate."""

    name: str
    lane: str
    options: Annotated[tuple[str, ...], Field(min_length=2)]
    """The first is the plain one."""
    idea: bool = False
    """Whether another option is another idea; else it is tuning."""


class Angle(Value):
    """What one strategy of the catalogue means here."""

    strategy: str
    lane: str
    core: tuple[Setting, ...]
    """What makes a candidate one of this strategy."""
    tunes: tuple[int, ...]
    """The knobs that may be turned besides."""


class Space(Value):
    """All designs."""

    knobs: tuple[Knob, ...]
    angles: tuple[Angle, ...]

    @property
    def start(self) -> Design:
        """The plain design."""
        return (0,) * len(self.knobs)

    def angle(self, strategy: str) -> Angle | None:
        """What a strategy means here; None for one that binds to nothing."""
        return next((angle for angle in self.angles if angle.strategy == strategy), None)

    def settings(self, knobs: Iterable[int]) -> list[Setting]:
        """Every setting of these knobs."""
        return [(k, option) for k in knobs for option in range(len(self.knobs[k].options))]

    def told(self, settings: Iterable[Setting]) -> str:
        """Settings as an agent writes them."""
        named = (f"{self.knobs[k].name}={self.knobs[k].options[option]}" for k, option in settings)
        return ", ".join(named)

    def heard(self, note: str) -> tuple[Setting, ...]:
        """The settings that a note names."""
        names = {knob.name: number for number, knob in enumerate(self.knobs)}
        found = []
        for part in filter(None, note.split(", ")):
            name, _, option = part.partition("=")
            found.append((names[name], self.knobs[names[name]].options.index(option)))
        return tuple(found)


def turned(design: Design, settings: Iterable[Setting]) -> Design:
    """The design with these settings."""
    new = list(design)
    for knob, option in settings:
        new[knob] = option
    return tuple(new)


def changes(design: Design, other: Design) -> tuple[Setting, ...]:
    """The settings of `other` in which it differs from `design`."""
    both = enumerate(zip(design, other, strict=True))
    return tuple((knob, now) for knob, (before, now) in both if before != now)
