"""The catalogue of strategies: `strategies.toml` and the guides, as frozen values.

    strategies.toml + guides/*.md -> Catalogue -> the strategies that fit a device and an operator

Read once, checked as it is read: a strategy without its guide or with an unknown operator family
never reaches an agent. All text that agents read lies in those files, none of it here.

Start at `Catalogue.fitting`. Not here: which of the fitting ones is handed out (`diversify`).
"""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from guard.domain.problem import Definition
from guard.domain.value import Value

ANY = "any"
"""In `Applies.ops`: every operator."""
HERE = Path(__file__).parent

Text = Annotated[str, Field(min_length=1, max_length=200)]
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class Applies(Value):
    """When a strategy applies: data for the coordinator, a sentence for the agent."""

    ops: Names
    """Operator families, or `any`."""
    devices: Names
    """Kinds of device, by the name of their plug-in."""
    languages: Names
    """Kernel languages in which it can be written."""
    when: Text


class Strategy(Value):
    """One angle of attack."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+\.[a-z0-9-]+$", max_length=64)]
    """``lane.name``."""
    lane: str
    idea: Text
    applies: Applies
    applies_not: Text
    predict: Text
    """What it should bring when it applies."""
    guide: str
    """A file in ``guides/``."""

    def runs_on(self, device_kind: str) -> bool:
        """Whether it makes sense on such a device at all."""
        return device_kind in self.applies.devices

    def fits(self, device_kind: str, families: frozenset[str]) -> bool:
        """Whether it applies; an operator of no known family rules nothing out."""
        ops = self.applies.ops
        suits = not families or ANY in ops or not families.isdisjoint(ops)
        return suits and self.runs_on(device_kind)


class Catalogue(Value):
    """Every strategy, in the order of the file, with the guides."""

    families: dict[str, tuple[str, ...]]
    """Operator family -> words that name it in a definition."""
    strategies: tuple[Strategy, ...]
    guides: dict[str, str]
    """File name -> Markdown."""

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        ids = [strategy.id for strategy in self.strategies]
        _refuse(sorted({id_ for id_ in ids if ids.count(id_) > 1}), "the id is used twice")
        for strategy in self.strategies:
            _refuse([strategy.id] * (strategy.id.split(".")[0] != strategy.lane), "not of its lane")
            _refuse([strategy.id] * (strategy.guide not in self.guides), "its guide is missing")
            unknown = set(strategy.applies.ops) - set(self.families) - {ANY}
            _refuse(sorted(unknown), f"unknown operator family in {strategy.id}")
        return self

    @property
    def lanes(self) -> tuple[str, ...]:
        """The lanes, in the order of the file."""
        return tuple(dict.fromkeys(strategy.lane for strategy in self.strategies))

    @property
    def names(self) -> tuple[str, ...]:
        """What an agent may ask for: every lane and every strategy."""
        return (*self.lanes, *(strategy.id for strategy in self.strategies))

    def get(self, strategy_id: str) -> Strategy | None:
        """One strategy by its id; None when a stored id is no longer in the catalogue."""
        return next((s for s in self.strategies if s.id == strategy_id), None)

    def families_of(self, definition: Definition) -> frozenset[str]:
        """The operator families that a definition's `op_type` and name speak of."""
        text = f"{definition.op_type or ''} {definition.name}".lower()
        words = set(re.split(r"[^a-z0-9]+", text))
        return frozenset(name for name, known in self.families.items() if words & set(known))

    def fitting(self, device_kind: str, families: frozenset[str]) -> tuple[Strategy, ...]:
        """The strategies that apply to such an operator on such a device."""
        return tuple(s for s in self.strategies if s.fits(device_kind, families))

    def guide_of(self, strategy: Strategy) -> str:
        """The Markdown playbook of a strategy's lane."""
        return self.guides[strategy.guide]


@cache
def load(folder: Path = HERE) -> Catalogue:
    """Read the catalogue that is installed with this package, once.

    Raises:
        ValueError: an entry is malformed, or names a guide or family that does not exist.
    """
    entries = tomllib.loads((folder / "strategies.toml").read_text(encoding="utf-8"))
    guides = {f.name: f.read_text(encoding="utf-8") for f in (folder / "guides").glob("*.md")}
    return Catalogue.model_validate({**entries, "guides": guides})


def _refuse(names: Iterable[str], reason: str) -> None:
    listed = list(names)
    if listed:
        raise ValueError(f"strategies.toml: {', '.join(map(repr, listed))}: {reason}")
