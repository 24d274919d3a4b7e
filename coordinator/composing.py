"""What is said of a composite strategy: the words of its kind, and what it is made of.

    composite + `strategies/composites.toml` + guides -> Words

All text that agents read lies in those files. Start at `words_of`. Not here: which composites there
are (`composites`).
"""

import tomllib
from functools import cache

from coordinator.catalogue import HERE, Catalogue, Strategy, Text
from coordinator.composites import KINDS, Composite
from guard.domain.value import Value

FILE = HERE / "strategies" / "composites.toml"
GUIDES = HERE / "guides" / "composites"


class Words(Value):
    """What an agent reads of one kind of composite."""

    idea: Text
    applies_when: Text
    does_not_apply: Text
    expected_effect: Text
    guide: str
    """Its Markdown."""


@cache
def kinds() -> dict[str, Words]:
    """The words of each kind, by its lane.

    Raises:
        ValueError: an entry is malformed, or a kind has none.
    """
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {
        kind: Words.model_validate({**read[kind], "guide": _guide(read[kind])}) for kind in KINDS
    }


def words_of(composite: Composite) -> Words:
    """What is said of a composite."""
    return kinds()[composite.lane]


def strategies_of(composite: Composite, catalogue: Catalogue) -> tuple[Strategy, ...]:
    """Its parts; those that have left the catalogue are left out."""
    found = map(catalogue.get, composite.parts)
    return tuple(strategy for strategy in found if strategy is not None)


def _guide(entry: dict[str, str]) -> str:
    return (GUIDES / entry["guide"]).read_text(encoding="utf-8")
