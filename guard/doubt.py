"""Why recorded figures are not believed: they cannot be true, or do not fit together.

Pure functions over recorded numbers, like the gate that asks them. Start at `doubt`; `audits` is
what the audit blocks of a duel say. Not here: what follows (`gate`).
"""

import math
from statistics import median

from guard.benchmark import (
    LogInterval,
    MissingGain,
    missing_gain,
    usable,
    usable_turns,
)
from guard.domain.decision import Policy
from guard.domain.trace import Duel, Verification
from guard.promotion import is_screened_out


def doubt(
    verification: Verification, duel: Duel, policy: Policy, measured: LogInterval | None
) -> str:
    """Why the figures are not believed, or nothing."""
    verified = {j.workload for j in verification.listed}
    for number, pair in enumerate(duel.pairs, start=1):
        for timing in pair.workloads:
            # One without turns that count tells nothing, true or false.
            if timing.champion_ms and not usable(timing):
                return (
                    f"Process pair {number} has a median time that is not positive on workload "
                    f"{timing.workload!r}: the clock was fooled or too coarse."
                )
        timed = {timing.workload for timing in pair.workloads}
        ended_early = number == 1 and timed < verified and is_screened_out(pair.workloads, policy)
        if timed != verified and not ended_early:
            return f"Process pair {number} did not time exactly the workloads that were verified."
    for workload, ratio in per_workload(duel).items():
        if ratio > math.log(policy.suspect_speedup):
            return (
                f"{math.exp(ratio):.1f} times as fast as the champion on workload {workload!r}: "
                f"more than {policy.suspect_speedup:g} is too good to be true."
            )
    if measured and measured.estimate > 0:
        return _mixed_modes(duel) or _overlapped(duel, policy)
    return ""


def _mixed_modes(duel: Duel) -> str:
    """A workload that was timed with graphs in one pair and without in another.

    Both sides of a pair share a mode; a change between pairs moves the host's share in or out.
    """
    modes: dict[str, str] = {}
    for pair in duel.pairs:
        for timing in pair.workloads:
            if modes.setdefault(timing.workload, timing.mode) != timing.mode:
                return (
                    f"Workload {timing.workload!r} was timed with graphs in one process pair and "
                    "with host time in another, to the candidate's gain."
                )
    return ""


def _overlapped(duel: Duel, policy: Policy) -> str:
    """A workload whose gain is gone when the calls are forced into order, or nothing.

    The plain blocks of all pairs make the claim, since a process may guess which workload of it
    is audited. What may be missing: the slack of the policy, and what the half turns disagree by.
    """
    for workload, gains in audits(duel, policy).items():
        if median(found.beyond_ms for found in gains) > 0:
            found = max(gains, key=lambda one: one.beyond_ms)
            return (
                f"Calls were merged or overlapped on workload {workload!r}: the gain of "
                f"{found.claimed_ms * 1e3:.2f} us a call is {found.shown_ms * 1e3:.2f} us in audit "
                "blocks, which force the calls into order."
            )
    return ""


def audits(duel: Duel, policy: Policy) -> dict[str, list[MissingGain]]:
    """What audit blocks say of each workload that some pair timed in them as well."""
    found: dict[str, list[MissingGain]] = {}
    for workload, ratio in per_workload(duel).items():
        for pair in duel.pairs:
            for timing in pair.workloads:
                if timing.workload == workload and timing.champion_audit_ms:
                    found.setdefault(workload, []).append(missing_gain(timing, ratio, policy))
    return found


def per_workload(duel: Duel) -> dict[str, float]:
    """Each workload's log-ratio: the median over pairs of the median over turns."""
    found: dict[str, list[float]] = {}
    for pair in duel.pairs:
        for workload, ratios in usable_turns(pair).items():
            found.setdefault(workload, []).append(median(ratios))
    return {workload: median(ratios) for workload, ratios in found.items()}
