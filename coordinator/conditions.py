"""The conditions that a predicate is made of: each asks one fact of a candidate.

One class for each word of the vocabulary; its fields are what the catalogue may write beside it.
`judge` says whether it holds, None where that cannot be told on this host, and the evidence in the
house's words: nothing of the candidate is repeated. Pure.

Start at `Finding`. Not here: *any*, *all*, *none* (`predicates`), what is known (`seen`).
"""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field

from coordinator.seen import Seen
from guard.domain.expression import BadExpression, evaluate
from guard.domain.nearest import did_you_mean
from guard.domain.solution import KernelLaunch
from guard.domain.value import Value
from guard.instructions import CLASSES

Word = Annotated[str, Field(min_length=1, max_length=80)]
Names = Annotated[tuple[Word, ...], Field(min_length=1)]
Amount = Annotated[int, Field(ge=0)]


def _known_class(name: str) -> str:
    if name not in CLASSES:
        raise ValueError(
            f"no class of instructions is named {name!r}. {did_you_mean(name, CLASSES)}"
        )
    return name


InstructionWord = Annotated[str, AfterValidator(_known_class)]


class Finding(NamedTuple):
    """What one condition gave."""

    holds: bool | None
    """None: cannot be told."""
    evidence: str
    """In the house's words; nothing of the candidate is repeated."""
    points: int = 0
    """How many conditions of single facts hold."""


def found(holds: bool, evidence: str) -> Finding:
    """A finding of one fact that is known."""
    return Finding(holds, evidence, int(holds))


def listed(names: Iterable[str]) -> str:
    """Names as a sentence has them."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


class Language(Value):
    """The candidate is written in one of these."""

    language: Names

    def judge(self, seen: Seen) -> Finding:
        """Always known."""
        return found(seen.language in self.language, f"written in {seen.language}")

    def __str__(self) -> str:
        return f"written in {listed(self.language)}"


class Calls(Value):
    """The source calls one of these."""

    calls: Names

    def judge(self, seen: Seen) -> Finding:
        """Always known."""
        called = [name for name in self.calls if seen.names.calls(name)]
        return found(bool(called), f"calls {called[0]}" if called else f"no {self}")

    def __str__(self) -> str:
        return f"call of {listed(self.calls)}"


class Words(Value):
    """The source holds one of these words."""

    names: Names

    def judge(self, seen: Seen) -> Finding:
        """Always known."""
        held = [name for name in self.names if seen.names.holds(name)]
        return found(bool(held), f"names {held[0]}" if held else f"nowhere {listed(self.names)}")

    def __str__(self) -> str:
        return f"{listed(self.names)} in the source"


class LoopDepth(Value):
    """The source has so many loops inside each other."""

    loop_depth: Annotated[int, Field(ge=1)]

    def judge(self, seen: Seen) -> Finding:
        """Always known."""
        depth = seen.names.loop_depth
        return found(depth >= self.loop_depth, f"loops nest {depth} deep")

    def __str__(self) -> str:
        return f"loops {self.loop_depth} deep"


class Options(Value):
    """A compiler option begins like this."""

    options: Names

    def judge(self, seen: Seen) -> Finding:
        """Always known."""
        given = [one for one in self.options if any(o.startswith(one) for o in seen.options)]
        return found(bool(given), f"option {given[0]}" if given else f"no {self}")

    def __str__(self) -> str:
        return f"option {listed(self.options)}"


class InstructionClass(Value):
    """The machine code has so many instructions of a class."""

    instructions: InstructionWord
    at_least: Annotated[int, Field(ge=1)] = 1

    def judge(self, seen: Seen) -> Finding:
        """Cannot be told where nothing, or not everything, was counted."""
        counted = seen.report.instructions
        number = sum(kernel.classes.get(self.instructions, 0) for kernel in counted)
        if number >= self.at_least:
            return Finding(True, f"{self.instructions}: {number} instructions", 1)
        if not counted or seen.report.unlisted or seen.cut:
            return Finding(None, f"nothing tells of {self.instructions} instructions")
        where = f"in {len(counted)} kernels or functions"
        return Finding(False, f"{self.instructions}: {number or 'no'} instructions {where}")

    def __str__(self) -> str:
        number = f"{self.at_least} or more " if self.at_least > 1 else ""
        return f"{number}{self.instructions} instructions"


class Opcodes(Value):
    """A listing holds an opcode that begins like this, with these modifiers somewhere after."""

    listing: Literal["ptx", "sass", "asm"]
    opcodes: Names
    modifiers: tuple[Word, ...] = ()

    def judge(self, seen: Seen) -> Finding:
        """Cannot be told without such a listing."""
        known = seen.opcodes.get(self.listing, frozenset())
        if any(self._is(opcode) for opcode in known):
            return Finding(True, f"{self}", 1)
        foreign = bool(seen.report.architecture) if self.listing == "asm" else seen.host_code
        if (not known and not foreign) or self.listing in seen.cut:
            return Finding(None, f"no {self.listing} to look for {listed(self.opcodes)}")
        return Finding(False, f"no {self}")

    def _is(self, opcode: str) -> bool:
        begins = opcode.startswith(self.opcodes)
        return begins and all(modifier in opcode for modifier in self.modifiers)

    def __str__(self) -> str:
        more = f" with {' and '.join(self.modifiers)}" if self.modifiers else ""
        return f"{listed(self.opcodes)}{more} in the {self.listing}"


class Resources(Value):
    """The largest of what any kernel takes lies in this range."""

    resources: Literal["registers", "shared_bytes", "spill_bytes", "threads", "barriers"]
    at_least: Amount = 0
    at_most: Amount | None = None

    def judge(self, seen: Seen) -> Finding:
        """Cannot be told where no compiler reported, or the figure depends on the axes."""
        amounts = [self._of(kernel) for kernel in seen.report.resources]
        most = max(amounts, default=0)
        if amounts and (most > self.at_least or self._known(seen)):
            fits = most >= self.at_least and (self.at_most is None or most <= self.at_most)
            return found(fits, f"{most} {self._named}")
        none = False if seen.host_code else None
        return Finding(none, f"nothing tells of {self._named}")

    def _of(self, kernel: Any) -> int:
        more = kernel.dynamic_shared_bytes if self.resources == "shared_bytes" else 0
        return int(getattr(kernel, self.resources)) + more

    def _known(self, seen: Seen) -> bool:
        if self.resources not in ("shared_bytes", "threads") or seen.plan is None:
            return self.resources != "threads" or seen.plan is not None
        return all(_fixed(launch) for launch in seen.plan.kernels)

    @property
    def _named(self) -> str:
        return self.resources.replace("_", " ")

    def __str__(self) -> str:
        most = f", at most {self.at_most}" if self.at_most is not None else ""
        return f"{self._named} at least {self.at_least}{most}"


class Launches(Value):
    """One call launches so many kernels."""

    launches: Literal["kernels"]
    at_least: Amount = 0
    at_most: Amount | None = None

    def judge(self, seen: Seen) -> Finding:
        """Cannot be told where neither a plan nor the source says."""
        number = seen.launches
        if number is None:
            return Finding(None, "nothing tells how many kernels are launched")
        fits = number >= self.at_least and (self.at_most is None or number <= self.at_most)
        return found(fits, f"{number} kernel launches")

    def __str__(self) -> str:
        most = f"at most {self.at_most}" if self.at_most is not None else f"{self.at_least} or more"
        return f"{most} kernel launches"


class Launch(Value):
    """The launch plan has this trait."""

    launch: Literal["cooperative", "cluster", "tensor map", "workspace", "zeroed workspace",
                    "condition", "choice", "fixed grid"]  # fmt: skip

    def judge(self, seen: Seen) -> Finding:
        """Cannot be told without a plan."""
        if seen.plan is None:
            none = False if seen.host_code else None
            return Finding(none, f"no launch plan to look for a {self.launch}")
        has = self.launch in set(_traits(seen))
        return found(has, f"{'a' if has else 'no'} {self}")

    def __str__(self) -> str:
        return f"{self.launch} in the launch plan"


def _traits(seen: Seen) -> Iterable[str]:
    plan = seen.plan
    if plan is None:
        return
    yield from ("tensor map",) * bool(plan.tensor_maps)
    yield from ("workspace",) * bool(plan.workspaces)
    scratch = [one for one in plan.workspaces.values() if not isinstance(one, str)]
    yield from ("zeroed workspace",) * any(one.zero for one in scratch)
    for launch in plan.kernels:
        yield from ("cooperative",) * launch.cooperative
        yield from ("cluster",) * (launch.cluster is not None)
        yield from ("condition",) * (launch.when != "1")
        # A grid that is capped by a number is as large as the device, whatever the shape.
        capped = all(_number(size) or size.startswith("min(") for size in launch.grid)
        yield from ("fixed grid",) * capped
        if launch.triton is not None:
            chosen = [c for c in launch.triton.constants.values() if not isinstance(c, str)]
            yield from ("choice",) * bool(chosen)


def _fixed(launch: KernelLaunch) -> bool:
    return all(_number(size) is not None for size in (launch.shared_bytes, *(launch.block or ())))


def _number(expression: str) -> int | None:
    try:
        return evaluate(expression, {})
    except BadExpression:
        return None
