"""Predicates over evidence: what shows that a candidate follows a strategy, as data.

    {any = [{instructions = "tensor core"}, {calls = ["tl.dot"]}]} × Seen -> Finding

A closed vocabulary, checked when the catalogue is read; nothing is ever evaluated as code. What
cannot be told on a host (no disassembler, code compiled at the first call) is None, and spreads as
an unknown does: *any* holds when one holds, *all* fails when one fails.

Start at `Condition`. Not here: what asks a single fact (`conditions`).
"""

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from coordinator.conditions import (
    Calls,
    Finding,
    InstructionClass,
    Language,
    Launch,
    Launches,
    LoopDepth,
    Opcodes,
    Options,
    Resources,
    Words,
)
from coordinator.seen import Seen
from guard.domain.value import Value

WORDS = (
    "language", "calls", "names", "loop_depth", "options", "instructions", "opcodes", "resources",
    "launches", "launch", "any", "all", "none",
)  # fmt: skip
"""The vocabulary: the word that each condition is known by."""
TOLD = 3
"""Pieces of evidence in one sentence."""


class AnyOf(Value):
    """At least one holds."""

    any: Annotated[tuple["Condition", ...], Field(min_length=1)]

    def judge(self, seen: Seen) -> Finding:
        """Unknown while none holds and one cannot be told."""
        return joined([one.judge(seen) for one in self.any], decisive=True)

    def __str__(self) -> str:
        return " or ".join(map(str, self.any))


class AllOf(Value):
    """Every one holds."""

    all: Annotated[tuple["Condition", ...], Field(min_length=1)]

    def judge(self, seen: Seen) -> Finding:
        """Unknown while none fails and one cannot be told."""
        return joined([one.judge(seen) for one in self.all], decisive=False)

    def __str__(self) -> str:
        return " and ".join(f"({one})" if isinstance(one, AnyOf) else str(one) for one in self.all)


class NoneOf(Value):
    """Not one holds."""

    none: Annotated[tuple["Condition", ...], Field(min_length=1)]

    def judge(self, seen: Seen) -> Finding:
        """Unknown while none holds and one cannot be told."""
        found = joined([one.judge(seen) for one in self.none], decisive=True)
        holds = None if found.holds is None else not found.holds
        return Finding(holds, found.evidence, int(holds is True))

    def __str__(self) -> str:
        return "no " + ", no ".join(map(str, self.none))


def _word(value: Any) -> str:
    """The one word that says which condition it is; empty when there is none, or several."""
    names = value if isinstance(value, dict) else type(value).model_fields
    found = [word for word in WORDS if word in names]
    return found[0] if len(found) == 1 else ""


Condition = Annotated[
    Annotated[Language, Tag("language")]
    | Annotated[Calls, Tag("calls")]
    | Annotated[Words, Tag("names")]
    | Annotated[LoopDepth, Tag("loop_depth")]
    | Annotated[Options, Tag("options")]
    | Annotated[InstructionClass, Tag("instructions")]
    | Annotated[Opcodes, Tag("opcodes")]
    | Annotated[Resources, Tag("resources")]
    | Annotated[Launches, Tag("launches")]
    | Annotated[Launch, Tag("launch")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[AllOf, Tag("all")]
    | Annotated[NoneOf, Tag("none")],
    Discriminator(
        _word,
        custom_error_type="condition",
        custom_error_message=f"a condition has exactly one of these words: {', '.join(WORDS)}",
    ),
]
for _combined in (AnyOf, AllOf, NoneOf):
    _combined.model_rebuild()


def has_limits(condition: "Condition") -> bool:
    """Whether more code could make it fail: it wants none of something, or not more of it."""
    if isinstance(condition, AnyOf):
        return any(map(has_limits, condition.any))
    if isinstance(condition, AllOf):
        return any(map(has_limits, condition.all))
    return isinstance(condition, NoneOf) or getattr(condition, "at_most", None) is not None


def joined(findings: list[Finding], *, decisive: bool) -> Finding:
    """Of several: the first that is decisive decides; else an unknown one; else all."""
    points = sum(finding.points for finding in findings)
    decided = [finding for finding in findings if finding.holds is decisive]
    unknown = [finding for finding in findings if finding.holds is None]
    holds = decisive if decided else None if unknown else not decisive
    told = decided or unknown or findings
    evidence = "; ".join(dict.fromkeys(finding.evidence for finding in told[:TOLD]))
    return Finding(holds, evidence, points if holds else 0)
