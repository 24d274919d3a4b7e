"""Decide whether a verified candidate replaces the champion.

Pure functions over recorded numbers: no clock, no disk, no device, no logging. The same numbers
give the same decision, so each decision on the board can be replayed.

    Verification × Duel × Policy -> Decision

Start at `decide`; its checks stand in order of weight, and only what passes all of them is
promoted. `needs_more` says when a duel has said enough.
Not here: the statistics (`benchmark`), how times are taken (`guard.referee`), how a promotion is
stored (`memory.board`).
"""

import math
from collections.abc import Sequence
from statistics import median

from guard.benchmark import (
    LogInterval,
    MissingGain,
    Turns,
    auditable,
    counted,
    log_interval,
    missing_gain,
    usable,
    usable_turns,
)
from guard.domain.decision import Decision, Interval, Policy, Verdict
from guard.domain.trace import Duel, Probe, Verification

NOTHING_KNOWN = Interval(estimate=1.0, low=1e-3, high=1e3)
"""The speedup of a duel without one usable turn: an interval that claims nothing."""


def decide(
    verification: Verification, duel: Duel, policy: Policy, loose: Sequence[Probe] = ()
) -> Decision:
    """Say what becomes of a candidate that fought this duel against the champion.

    Rejected: it failed the guard, before or while being timed. Suspect: the figures cannot be
    true or do not fit together. Promoted: over at least `min_pairs` process pairs the interval
    clears `min_gain`, no workload lost more than `max_regression`, every workload was audited, the
    sandbox it was verified in reached `min_grade`, and no wrong answer passes for right on this
    problem (none is `loose`).
    Accepted: within `near_best` of the champion, or the interval does not exclude that it is as
    fast. Reverted: slower.
    """
    refused = _refusal(verification, duel)
    if refused:
        return Decision(verdict=Verdict.REJECTED, reason=refused)
    measured = _log_interval(duel, policy)
    doubt = _doubt(verification, duel, policy, measured)
    if doubt or measured is None:
        verdict = Verdict.SUSPECT if doubt else Verdict.ACCEPTED
        reason = doubt or "Inconclusive: it is correct, and nothing was timed."
    else:
        verdict, reason = _compare(verification, duel, policy, measured, loose)
    return Decision(
        verdict=verdict, reason=reason, over_champion=measured.factors() if measured else None
    )


def needs_more(duel: Duel, policy: Policy) -> bool:
    """Whether another process pair could still change the decision.

    No, once it failed or a clock was fooled, or when it is hopeless (slower than the champion by
    more than `hopeless_loss`). Otherwise yes below `min_pairs`; from there to `max_pairs` only
    while the estimate lies above the promotion threshold and the interval reaches below it.
    """
    if duel.failures or not all(usable(t) for p in duel.pairs for t in p.workloads):
        return False
    measured = _log_interval(duel, policy)
    if measured is None:
        return not duel.pairs
    if measured.estimate < -math.log1p(policy.hopeless_loss):
        return False
    if len(duel.pairs) < policy.min_pairs:
        return True
    threshold = math.log1p(policy.min_gain)
    return len(duel.pairs) < policy.max_pairs and measured.low <= threshold < measured.estimate


def speedup(duel: Duel, policy: Policy | None = None) -> Interval:
    """The candidate's speedup over the duel's champion: a geometric mean with its interval.

    With one pair the interval rests on the spread within it (see `benchmark.log_interval`).
    Timings whose median is not positive are left out; without any, `NOTHING_KNOWN`.
    """
    measured = _log_interval(duel, policy or Policy())
    return measured.factors() if measured else NOTHING_KNOWN


def is_progress(
    decision: Decision, speedup: Interval, own_best: float | None, policy: Policy
) -> bool:
    """Whether a benchmarked candidate counts as progress of its claim.

    It does when it became the champion, or beat the claim's own best speedup over the baseline by
    `own_gain`; the first one that was timed honestly sets that best. Rejected and suspect
    candidates never do.
    """
    if decision.verdict is Verdict.PROMOTED:
        return True
    if not decision.verdict.believed or decision.over_champion is None:
        return False
    return own_best is None or speedup.estimate >= own_best * (1 + policy.own_gain)


def _refusal(verification: Verification, duel: Duel) -> str:
    """Why the guard refused the candidate, or nothing."""
    if duel.failures:
        first = duel.failures[0]
        status = first.evaluation.status
        return f"Failed while being timed: {status} on workload {first.workload!r}."
    if verification.passed:
        return ""
    for judgement in verification.judgements:
        if judgement.evaluation.status != "PASSED":
            status = judgement.evaluation.status
            return f"Failed verification: {status} on workload {judgement.workload!r}."
    return f"Not verified: {verification.note or 'no workload was judged'}."


def _doubt(
    verification: Verification, duel: Duel, policy: Policy, measured: LogInterval | None
) -> str:
    """Why the figures are not believed, or nothing."""
    verified = {j.workload for j in verification.listed}
    for number, pair in enumerate(duel.pairs, start=1):
        for timing in pair.workloads:
            if not usable(timing):
                return (
                    f"Process pair {number} has a median time that is not positive on workload "
                    f"{timing.workload!r}: the clock was fooled or too coarse."
                )
        if {timing.workload for timing in pair.workloads} != verified:
            return f"Process pair {number} did not time exactly the workloads that were verified."
    for workload, ratio in _per_workload(duel).items():
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
    for workload, audits in _audits(duel, policy).items():
        if median(found.beyond_ms for found in audits) > 0:
            found = max(audits, key=lambda one: one.beyond_ms)
            return (
                f"Calls were merged or overlapped on workload {workload!r}: the gain of "
                f"{found.claimed_ms * 1e3:.2f} us a call is {found.shown_ms * 1e3:.2f} us in audit "
                "blocks, which force the calls into order."
            )
    return ""


def _compare(
    verification: Verification,
    duel: Duel,
    policy: Policy,
    measured: LogInterval,
    loose: Sequence[Probe],
) -> tuple[Verdict, str]:
    """The verdict on figures that are believed, with its sentence."""
    figures = _figures(measured, duel, policy)
    if measured.low > math.log1p(policy.min_gain):
        held = _held_back(verification, duel, policy, loose)
        if held:
            return Verdict.ACCEPTED, f"{figures}, not promoted: {held}."
        return Verdict.PROMOTED, f"{figures}: the interval clears {1 + policy.min_gain:.3f}."
    if measured.estimate >= -math.log1p(policy.near_best):
        return Verdict.ACCEPTED, (
            f"{figures}: near the champion, but the interval does not clear "
            f"{1 + policy.min_gain:.3f}."
        )
    if measured.high >= 0:
        return Verdict.ACCEPTED, f"{figures}: inconclusive, the interval includes the champion."
    return Verdict.REVERTED, f"{figures}: slower."


def _held_back(
    verification: Verification, duel: Duel, policy: Policy, loose: Sequence[Probe]
) -> str:
    """Why a clear gain is still no promotion, or nothing."""
    if loose:
        return (
            f"the problem is not admitted, since {loose[0].impostor} would pass for right on "
            f"workload {loose[0].workload!r}"
        )
    if len(duel.pairs) < policy.min_pairs:
        return f"{policy.min_pairs} process pairs are needed"
    grade = min(j.evaluation.environment.sandbox_grade for j in verification.judgements)
    if grade < policy.min_grade:
        return f"it was verified at sandbox grade {grade}, and a promotion needs {policy.min_grade}"
    unaudited = set(_per_workload(duel)) - set(_audits(duel, policy))
    if unaudited:
        return f"workload {min(unaudited)!r} was not audited: nothing there forces calls into order"
    workload, ratio = min(_per_workload(duel).items(), key=lambda item: item[1])
    if ratio < -math.log1p(policy.max_regression):
        return (
            f"workload {workload!r} takes {math.expm1(-ratio):.1%} longer "
            f"(allowed: {policy.max_regression:.1%})"
        )
    return ""


def _audits(duel: Duel, policy: Policy) -> dict[str, list[MissingGain]]:
    """What audit blocks say of each workload that some pair timed in them as well."""
    found: dict[str, list[MissingGain]] = {}
    for workload, ratio in _per_workload(duel).items():
        for pair in duel.pairs:
            for timing in pair.workloads:
                if timing.workload == workload and timing.champion_audit_ms:
                    found.setdefault(workload, []).append(missing_gain(timing, ratio, policy))
    return found


def _figures(measured: LogInterval, duel: Duel, policy: Policy) -> str:
    factors = measured.factors()
    timings = (timing for pair in duel.pairs for timing in pair.workloads)
    unseen = sorted({t.workload for t in timings if not auditable(t, policy)})
    left_out = f"; gains on {', '.join(unseen)} left out: too short for audits" if unseen else ""
    return (
        f"{factors.estimate:.3f} times as fast as the champion (95 % interval "
        f"{factors.low:.3f} to {factors.high:.3f}, process pairs: {len(duel.pairs)}{left_out})"
    )


def _usable_pairs(duel: Duel) -> list[dict[str, Turns]]:
    return [found for pair in duel.pairs if (found := usable_turns(pair))]


def _log_interval(duel: Duel, policy: Policy) -> LogInterval | None:
    pairs = [[counted(t, policy) for t in pair.workloads if usable(t)] for pair in duel.pairs]
    timed = [found for found in pairs if found]
    return log_interval(timed, policy.sigma_floor) if timed else None


def _per_workload(duel: Duel) -> dict[str, float]:
    """Each workload's log-ratio: the median over pairs of the median over turns."""
    found: dict[str, list[float]] = {}
    for pair in _usable_pairs(duel):
        for workload, ratios in pair.items():
            found.setdefault(workload, []).append(median(ratios))
    return {workload: median(ratios) for workload, ratios in found.items()}
