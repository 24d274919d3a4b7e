"""What a compiled solution's machine code says of its speed, in few lines.

    CompileReport -> lines (one per kernel) | digest (at most `MAX_LINES`)

Pure. The report comes from a builder: names in it are the candidate's, and no verdict rests on it.
Start at `digest`. Not here: the listings themselves (`guard.listing`, `guard.packed`).
"""

from collections.abc import Iterable, Iterator, Sequence

from guard.domain.expression import BadExpression, evaluate
from guard.domain.machine_code import Instructions, KernelResources
from guard.domain.solution import Dimensions, LaunchPlan
from guard.domain.trace import CompileReport
from guard.occupancy import limits, occupancy, warps_by_registers
from guard.plain import one_line

MAX_LINES = 20
NAME_SHOWN = 80
# What a reader looks for first; a class that is absent is told as well: that is evidence too.
_GPU = ("tensor core", "ffma", "mufu", "local loads", "local stores", "barriers")
_GPU_IF_ANY = ("hfma", "dfma", "mbarriers", "tma", "async copies", "shuffles", "atomics")
_ACCESSES = ("global loads", "global stores", "shared loads", "shared stores")
_CPU = ("zmm", "ymm", "xmm", "scalar float", "fma", "gathers", "scalar math calls", "stack stores")
_CPU_IF_ANY = (
    "vector math calls", "calls", "scatters", "divisions and roots", "streaming stores",
    "prefetches", "matrix tiles",
)  # fmt: skip


def with_launches(
    resources: Iterable[KernelResources], plan: LaunchPlan | None
) -> tuple[KernelResources, ...]:
    """The same with block sizes and dynamic shared memory, where the plan has them as numbers."""
    known: dict[str, tuple[int, int]] = {}
    for launch in plan.kernels if plan else ():
        found = (_threads(launch.block), _number(launch.shared_bytes))
        # Two launches that differ leave it open.
        known[launch.kernel] = found if known.get(launch.kernel, found) == found else (0, 0)
    return tuple(
        each.model_copy(
            update=dict(
                zip(("threads", "dynamic_shared_bytes"), known.get(each.kernel, (0, 0)),
                    strict=True)
            )
        )
        for each in resources
    )  # fmt: skip


def lines(report: CompileReport) -> tuple[str, ...]:
    """One short line per kernel: registers, spills, shared memory, occupancy and its limit."""
    if report.resources:
        return tuple(f"{_taken(each)}; {_occupancy(each, report)}" for each in report.resources)
    return tuple(_vectors(each) for each in _largest(report.instructions))


def digest(report: CompileReport) -> tuple[str, ...]:
    """At most `MAX_LINES` lines: per kernel what it takes, what limits it, what it executes."""
    told = [list(block) for block in _blocks(report)]
    tail = [one_line(report.unlisted)] if report.unlisted else []
    cut = [one.kind for one in report.listings if one.cut]
    tail += [f"Cut, so that counts may be low: {', '.join(cut)}."] if cut else []
    kept: list[str] = []
    for place, block in enumerate(told):
        # One line is left to say how many kernels are not told of.
        if len(kept) + len(block) + len(tail) + 1 > MAX_LINES:
            tail.insert(0, f"{len(told) - place} more are left out; `resources` lists all.")
            break
        kept += block
    return tuple([*kept, *tail] or ["The compiler told nothing of its machine code."])


def _blocks(report: CompileReport) -> Iterator[Sequence[str]]:
    counted = {each.kernel: each for each in report.instructions}
    for each in report.resources:
        mix = counted.pop(each.kernel, None)
        first = f"{_taken(each)}, {each.barriers} barriers"
        block = [first, f"  {_occupancy(each, report)}"]
        yield [*block, *(_executed(mix) if mix else ())]
    # Device functions that are called, and a CPU's functions.
    for mix in _largest(counted.values()):
        if report.architecture:
            yield [_name(mix.kernel), *_executed(mix)]
        else:
            yield [f"{_vectors(mix)}{_also(mix, _CPU_IF_ANY)}"]


def _name(kernel: str) -> str:
    # The candidate's: it must not begin a line of ours.
    return one_line(kernel)[:NAME_SHOWN]


def _largest(counted: Iterable[Instructions]) -> list[Instructions]:
    return sorted(counted, key=lambda each: -each.total)


def _taken(each: KernelResources) -> str:
    shared = f"{each.shared_bytes + each.dynamic_shared_bytes} bytes of shared memory"
    spilled = f"{each.spill_bytes} bytes spilled"
    return f"{_name(each.kernel)}: {each.registers} registers, {spilled}, {shared}"


def _occupancy(each: KernelResources, report: CompileReport) -> str:
    has = limits(report.architecture)
    if has is None:
        return "occupancy not known for this architecture"
    if not each.threads:
        warps = min(has.warps, warps_by_registers(each.registers))
        return f"registers allow {warps} of {has.warps} warps; the plan gives no fixed block"
    shared_bytes = each.shared_bytes + each.dynamic_shared_bytes
    fits = occupancy(has, each.registers, shared_bytes, each.threads)
    if not fits.blocks:
        return f"no block of {each.threads} threads fits: too much {' and '.join(fits.limited_by)}"
    return (
        f"occupancy {fits.percent} % ({fits.blocks} blocks of {each.threads} threads), limited by "
        f"{' and '.join(fits.limited_by)}"
    )


def _executed(mix: Instructions) -> Iterator[str]:
    told = ", ".join(f"{name} {mix.classes.get(name, 0)}" for name in _GPU)
    yield f"  {mix.total} instructions: {told}{_also(mix, _GPU_IF_ANY)}"
    accesses = [_access(mix, kind) for kind in _ACCESSES if mix.classes.get(kind)]
    if accesses:
        yield f"  {'; '.join(accesses)}"


def _access(mix: Instructions, kind: str) -> str:
    widths = {
        name.removeprefix(f"{kind} "): count
        for name, count in mix.classes.items()
        if name.startswith(f"{kind} ")
    }
    shares = (
        f"{count} x {name}{'' if name == 'matrix' else '-bit'}" for name, count in widths.items()
    )
    return f"{kind} {mix.classes[kind]} ({', '.join(shares)})"


def _vectors(mix: Instructions) -> str:
    told = ", ".join(f"{name} {mix.classes.get(name, 0)}" for name in _CPU)
    return f"{_name(mix.kernel)}: {mix.total} instructions: {told}"


def _also(mix: Instructions, names: Iterable[str]) -> str:
    return "".join(f", {name} {mix.classes[name]}" for name in names if name in mix.classes)


def _threads(block: Dimensions | None) -> int:
    product = 1
    for size in block or ("0",):
        product *= _number(size)
    return product


def _number(expression: str) -> int:
    try:
        return max(0, evaluate(expression, {}))
    except BadExpression:
        return 0
