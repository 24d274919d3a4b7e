"""Which turns count: those in which the device's clock was the same for both sides.

    Duel as recorded -> `steady` -> the turns that any figure may rest on

A GPU clocks itself down when it is hot or draws too much, now for one side and then for the other.
What was timed at two clocks compares no kernels. Every turn stays in the record with what the
device said of itself, so that each decision can be drawn again.

Pure functions over recorded numbers. Start at `steady`. Not here: reading a device (`guard.nvml`),
timing such turns once more (`guard.referee.timing`).
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from guard.domain.conditions import Conditions
from guard.domain.decision import Policy
from guard.domain.trace import Duel, WorkloadTiming


def are_apart(seen: Sequence[Conditions], policy: Policy) -> bool:
    """Whether the sides of one turn saw different clocks, as far as all of them are known."""
    clocks = [one.sm_clock_mhz or 0 for one in seen]
    least = min(clocks)
    return least > 0 and max(clocks) > least * (1 + policy.clock_apart)


def steady(duel: Duel, policy: Policy) -> Duel:
    """The same duel with the turns that count alone."""
    pairs = [
        pair.model_copy(update={"workloads": tuple(counting(t, policy) for t in pair.workloads)})
        for pair in duel.pairs
    ]
    return duel.model_copy(update={"pairs": tuple(pairs)})


def counting(timing: WorkloadTiming, policy: Policy) -> WorkloadTiming:
    """The same timing with the turns that count alone; without any it has no figures at all."""
    left_out = _apart(timing, policy)
    if not left_out:
        return timing
    names = ["champion_ms", "candidate_ms", "champion_conditions", "candidate_conditions"]
    kept: dict[str, tuple[object, ...]] = {
        name: tuple(x for i, x in enumerate(getattr(timing, name)) if i not in left_out)
        for name in names
    }
    if not kept["champion_ms"]:
        kept |= {"champion_audit_ms": (), "candidate_audit_ms": ()}
    return timing.model_copy(update=kept)


def unsettled(counts: Duel) -> list[str]:
    """Of a `steady` duel, the workloads of which some process pair has no turn left."""
    timings = (timing for pair in counts.pairs for timing in pair.workloads)
    return sorted({timing.workload for timing in timings if not timing.champion_ms})


def remarks(duel: Duel, policy: Policy) -> str:
    """What a reader of the decision must know of how it was timed; mostly nothing."""
    timings = [timing for pair in duel.pairs for timing in pair.workloads]
    left_out = sum(len(_apart(timing, policy)) for timing in timings)
    turns = sum(len(timing.champion_ms) for timing in timings)
    told = []
    if left_out:
        told.append(
            f"{left_out} of {turns} turns do not count: the device's clock was more than "
            f"{policy.clock_apart:.0%} apart between the sides."
        )
    if duel.strangers:
        told.append(f"Other processes used the device as well: {duel.strangers}.")
    return " ".join(told)


def throttled(duels: Iterable[Duel]) -> str:
    """What slowed the device's clock while blocks were timed, or nothing."""
    seen = [
        one
        for duel in duels
        for pair in duel.pairs
        for timing in pair.workloads
        for one in (*timing.champion_conditions, *timing.candidate_conditions)
    ]
    found = Counter(reason for one in seen for reason in one.throttle_reasons)
    told = ", ".join(f"{reason} in {count}" for reason, count in found.most_common())
    return f"the device slowed its clock: {told} of {len(seen)} blocks" if told else ""


def _apart(timing: WorkloadTiming, policy: Policy) -> frozenset[int]:
    """The places of the turns that do not count."""
    seen = zip(timing.champion_conditions, timing.candidate_conditions, strict=False)
    return frozenset(i for i, both in enumerate(seen) if are_apart(both, policy))
