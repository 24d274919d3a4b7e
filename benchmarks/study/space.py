"""What agents of the study choose among: knobs, and the strategies that turn them.

    Design = one option per knob        Setting = (knob, option)        Angle = strategy -> settings

Start at `Space`. Not here: what a design is worth (`evaluator`), who chooses (`policy`).
"""

from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import Field

from coordinator.composites import parse, parts_of
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
    carried: tuple[Setting, ...] = ()
    """What a new claim begins with besides: a composite's parents were tuned already."""


class Space(Value):
    """All designs."""

    knobs: tuple[Knob, ...]
    angles: tuple[Angle, ...]

    @property
    def start(self) -> Design:
        """The plain design."""
        return (0,) * len(self.knobs)

    def angle(self, strategy: str, parents: Sequence[Design] = ()) -> Angle | None:
        """What a strategy means here, a composite too; None for one that binds to nothing.

        `parents`: the designs that a composite is to be made of, the best first.
        """
        known = {angle.strategy: angle for angle in self.angles}
        if parse(strategy) is None:
            return known.get(strategy)
        parts = [known[part] for part in parts_of(strategy)]
        # Where two parts want the same knob, the better parent has its way.
        parts.sort(key=lambda part: _holder(part, parents), reverse=True)
        core = dict(setting for part in parts for setting in part.core)
        return Angle(
            strategy=strategy,
            lane=strategy.partition(".")[0],
            core=tuple(core.items()),
            tunes=tuple(sorted({knob for part in parts for knob in part.tunes} - core.keys())),
            carried=tuple(
                (knob, parents[_holder(part, parents)][knob])
                for part in parts
                for knob in part.tunes
                if parents
            ),
        )

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


def _holder(part: Angle, parents: Sequence[Design]) -> int:
    """Which of the parents was made along this part; of none the first."""
    along = (
        number
        for number, design in enumerate(parents)
        if all(design[knob] == option for knob, option in part.core)
    )
    return next(along, 0)
