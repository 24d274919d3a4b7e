"""The catalogue of strategies: `strategies/*.toml` and the guides, as frozen values.

    strategies/*.toml + guides/*.md -> Catalogue -> the strategies that fit a device and an operator

Read once, checked as it is read: a strategy without its guide, with a word that is not of its list,
or with a predicate outside the vocabulary never reaches an agent. All text that agents read lies
in those files, none of it here.

Start at `Catalogue.fitting`. Not here: which of the fitting ones is handed out (`diversify`), what
a predicate may say (`predicates`).
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from coordinator.predicates import Condition
from guard import plugins
from guard.domain.nearest import did_you_mean
from guard.domain.problem import Definition
from guard.domain.value import Value

ANY = "any"
"""In the lists of `Applies`: every family, or every architecture."""
HERE = Path(__file__).parent
WORDS_FILE = "words.toml"

Text = Annotated[str, Field(min_length=1, max_length=240)]
Names = Annotated[tuple[str, ...], Field(min_length=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Bottleneck = Literal["memory", "matrix", "fp32", "special functions", "latency"]
"""What binds, by the first word of a bound's resource (`guard.bound`)."""


class Applies(Value):
    """When a strategy applies: data for the coordinator, a sentence for the agent."""

    families: Names
    """Operator families, or `any`."""
    devices: Names
    """Kinds of device, by the name of their plug-in."""
    architectures: Names
    """Architectures, or `any`."""
    bottlenecks: Annotated[tuple[Bottleneck, ...], Field(min_length=1)]
    """What binds where it helps."""
    bound_fraction: tuple[Share, Share]
    """The range of the champion's bound fraction in which there is something left for it."""
    languages: Names
    """Kernel languages in which it can be written."""
    when: Text

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        low, high = self.bound_fraction
        _refuse(["bound_fraction"] * (low >= high), "its first figure must be the lower one")
        return self


class Strategy(Value):
    """One angle of attack."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9-]+\.[a-z0-9-]+$", max_length=64)]
    """``lane.name``."""
    lane: str
    idea: Text
    applies: Applies
    applies_not: Text
    predict: Text
    """What to predict before trying: what it should bring when it applies."""
    shown_by: Condition
    """The evidence that shows it was followed."""
    guide: str
    """A file in ``guides/``."""

    def runs_on(self, device_kind: str) -> bool:
        """Whether it makes sense on such a device at all."""
        return device_kind in self.applies.devices

    def fits(self, device_kind: str, families: frozenset[str]) -> bool:
        """Whether it applies; an operator of no known family rules nothing out."""
        known = self.applies.families
        suits = not families or ANY in known or not families.isdisjoint(known)
        return suits and self.runs_on(device_kind)


class Catalogue(Value):
    """Every strategy, in the order of the file, with the guides."""

    families: dict[str, tuple[str, ...]]
    """Operator family -> words that name it in a definition."""
    architectures: dict[str, str]
    """Architecture -> the kind of device that has it."""
    reported: dict[str, tuple[str, ...]]
    """Architecture -> how what a device reports begins; not all of them can be told so."""
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
            self._knows(strategy)
        return self

    def _knows(self, strategy: Strategy) -> None:
        """Refuse a word that is not of its list."""
        applies, devices = strategy.applies, plugins.load("devices")
        lists: tuple[tuple[str, Names, Iterable[str]], ...] = (
            ("operator family", applies.families, (ANY, *self.families)),
            ("device", applies.devices, devices),
            ("architecture", applies.architectures, (ANY, *self.architectures)),
            ("language", applies.languages, plugins.load("languages")),
        )
        for what, given, known in lists:
            for name in (n for n in given if n not in known):
                reason = f"unknown {what} in {strategy.id}. {did_you_mean(name, known)}"
                _refuse([name], reason)
        kinds = {self.architectures.get(name, ANY) for name in applies.architectures}
        strange = kinds - {ANY, *applies.devices}
        _refuse(sorted(strange), f"{strategy.id} names an architecture, but not its device")

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

    def fitting(
        self, device_kind: str, families: frozenset[str], architecture: str = ""
    ) -> tuple[Strategy, ...]:
        """The strategies that apply to such an operator on such a device.

        `architecture`: as the device reports it; what no entry knows rules nothing out.
        """
        fitting = (s for s in self.strategies if s.fits(device_kind, families))
        return tuple(s for s in fitting if self.is_for(s, architecture))

    def is_for(self, strategy: Strategy, architecture: str) -> bool:
        """Whether a strategy applies to what a device reports of its architecture."""
        known = strategy.applies.architectures
        begins = self.reported.items()
        named = {name for name, starts in begins if architecture.startswith(starts)}
        return ANY in known or not named or not named.isdisjoint(known)

    def guide_of(self, strategy: Strategy) -> str:
        """The Markdown playbook of a strategy's lane."""
        return self.guides[strategy.guide]


@cache
def load(folder: Path = HERE) -> Catalogue:
    """Read the catalogue that is installed with this package, once.

    Raises:
        ValueError: an entry is malformed, or names a guide or family that does not exist.
    """
    words = _read(folder / "strategies" / WORDS_FILE)
    guides = {f.name: f.read_text(encoding="utf-8") for f in (folder / "guides").glob("*.md")}
    strategies = [
        {"lane": lane, **entry}
        for lane in words.pop("lanes")
        for entry in _of_lane(_read(folder / "strategies" / f"{lane}.toml"))
    ]
    return Catalogue.model_validate({**words, "strategies": strategies, "guides": guides})


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _of_lane(entries: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """The lane's strategies; one that names no guide has the lane's."""
    return ({"guide": entries["guide"], **entry} for entry in entries["strategies"])


def _refuse(names: Iterable[str], reason: str) -> None:
    listed = list(names)
    if listed:
        raise ValueError(f"strategies: {', '.join(map(repr, listed))}: {reason}")
