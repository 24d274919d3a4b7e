"""Write ``docs/strategies.md`` from the catalogue: ``python -m coordinator.page``.

The page is checked to be current, so it cannot drift from what agents are given and held to.

Start at `page`.
"""

from collections.abc import Iterator
from pathlib import Path

from coordinator.catalogue import Applies, Catalogue, Strategy, load
from coordinator.predicates import AllOf, AnyOf, Condition, NoneOf

TARGET = Path(__file__).resolve().parent.parent / "docs" / "strategies.md"
INTRODUCTION = Path(__file__).with_name("page_intro.md")


def page(catalogue: Catalogue) -> str:
    """The whole page."""
    parts = [INTRODUCTION.read_text(encoding="utf-8").rstrip()]
    for lane in catalogue.lanes:
        parts.append(f"## {lane}")
        parts += ["\n".join(_entry(s)) for s in catalogue.strategies if s.lane == lane]
    return "\n\n".join(parts) + "\n"


def _entry(strategy: Strategy) -> Iterator[str]:
    applies = strategy.applies
    low, high = applies.bound_fraction
    yield f"### {strategy.id}"
    yield ""
    yield strategy.idea
    yield ""
    yield f"- Applies: {applies.when}"
    yield f"- Does not apply: {strategy.applies_not}"
    yield f"- Predict: {strategy.predict}"
    yield (
        f"- Where {_either(applies.bottlenecks)} binds, at a bound fraction of {low:g} to {high:g}"
    )
    yield f"- Families: {_all(applies.families)}. Devices: {_devices(applies)}"
    yield f"- Languages: {_all(applies.languages)}. Guide: [{strategy.guide}]({_guide(strategy)})"
    yield from _shown_by(strategy.shown_by)


def _shown_by(condition: Condition) -> Iterator[str]:
    parts: tuple[Condition, ...] = (condition,)
    how = "this"
    if isinstance(condition, AnyOf):
        parts, how = condition.any, "any of these"
    elif isinstance(condition, AllOf):
        parts, how = condition.all, "all of these"
    elif isinstance(condition, NoneOf):
        parts, how = condition.none, "none of these"
    yield f"- Shown by {how}:"
    # As code: names hold stars and underscores.
    yield from (f"  - `{part}`" for part in parts)


def _devices(applies: Applies) -> str:
    known = [name for name in applies.architectures if name != "any"]
    return _all(applies.devices) + (f" ({_all(known)})" if known else "")


def _guide(strategy: Strategy) -> str:
    return f"../coordinator/guides/{strategy.guide}"


def _either(names: tuple[str, ...]) -> str:
    return " or ".join(names)


def _all(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(names)


if __name__ == "__main__":
    TARGET.write_text(page(load()), encoding="utf-8")
