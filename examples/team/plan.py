"""Read a problem's `plan.toml`: which prepared candidates an agent tries, lane by lane.

Frozen values and one reader; the keys are explained in `examples/solutions/README.md`. Nothing
here knows how a candidate will fare: `expect` is for the tests alone.

    plan.toml -> Plan -> Candidate per lane, in order

Start at `read_plan`. Not here: who tries what when (`agent`).
"""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

SOLUTIONS = Path(__file__).resolve().parent.parent / "solutions"
Tag = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
_NAMED = re.compile(r"#([a-z0-9]+(?:-[a-z0-9]+)*)", re.IGNORECASE)


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Candidate(_Value):
    """One prepared solution."""

    file: Annotated[str, Field(min_length=1)]
    """Its path below the plan's folder."""
    note: Annotated[str, Field(min_length=1, max_length=160)]
    """The idea and what is predicted."""
    expect: Literal["correct", "slow", "wrong", "crash", "compile-error", "hang", "cheat"]
    """What the tests hold it to; an agent never reads it."""
    tags: tuple[Tag, ...] = ()
    """The ideas it stands or falls with; the first is the one at issue."""
    language: str = ""
    """Empty: the plan's."""
    options: str | None = None
    """Compiler options; none: the plan's."""
    entry_point: str = "run"
    destination_passing_style: bool = True
    launch_plan: str = ""
    """Path of a launch plan below the plan's folder: `cuda`, or `triton` compiled ahead."""
    builds_on: tuple[str, ...] = ()
    """Files of the plan that it grew from."""

    @property
    def name(self) -> str:
        """Lane and stem, such as ``compute/polynomial``."""
        return self.file.rsplit(".", 1)[0]

    def covered_by(self, named: frozenset[str]) -> str:
        """The first of its tags that a trap names, or nothing."""
        return next((tag for tag in self.tags if tag in named), "")


class Seat(_Value):
    """One agent of the team."""

    agent: Annotated[str, Field(min_length=1, max_length=64)]
    prefer: tuple[str, ...] = ()
    """Lanes it asks for, in order."""
    benchmarks: Annotated[int, Field(ge=0)] = 0
    """How many it may ask for; 0: as many as its time allows."""


class Plan(_Value):
    """What a team tries on one problem."""

    problem: str
    language: str
    options: str = ""
    seats: Annotated[tuple[Seat, ...], Field(min_length=1)]
    lane: dict[str, tuple[Candidate, ...]]
    """Candidates by lane, in the order in which they are tried."""

    @model_validator(mode="after")
    def _files_are_named_once(self) -> Self:
        files = [candidate.file for lane in self.lane.values() for candidate in lane]
        twice = sorted({file for file in files if files.count(file) > 1})
        if twice:
            raise ValueError(f"named more than once: {', '.join(twice)}")
        return self

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All candidates, lane after lane."""
        return tuple(candidate for lane in self.lane.values() for candidate in lane)

    def language_of(self, candidate: Candidate) -> str:
        """The candidate's own language, or the plan's."""
        return candidate.language or self.language

    def options_of(self, candidate: Candidate) -> str:
        """The candidate's own compiler options, or the plan's."""
        return self.options if candidate.options is None else candidate.options

    def seat(self, number: int) -> Seat:
        """The seat of the agent with this number, counted from 0; later ones share wishes."""
        seat = self.seats[number % len(self.seats)]
        if number < len(self.seats):
            return seat
        return Seat(agent=f"{seat.agent}-{number}", prefer=seat.prefer)


def read_plan(folder: Path) -> Plan:
    """Read a folder's `plan.toml`.

    Raises:
        FileNotFoundError: the folder has none.
        pydantic.ValidationError: a key or value does not fit.
    """
    with (folder / "plan.toml").open("rb") as file:
        return Plan.model_validate(tomllib.load(file))


def named_tags(text: str) -> frozenset[str]:
    """The tags that a conclusion names with a ``#`` in front, in lower case."""
    return frozenset(tag.lower() for tag in _NAMED.findall(text))
