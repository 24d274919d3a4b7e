"""Decide whether a verified candidate replaces the champion.

Pure functions over recorded numbers: no clock, no disk, no device, no logging. The same numbers
give the same decision, so each decision on the board can be replayed.

    Verification × Duel × Policy × Terms -> Decision

Start at `decide`; its checks stand in order of weight, and only what passes all of them is
promoted. `needs_more` says when a duel has said enough.
Not here: the statistics (`benchmark`), the sequential test (`promotion`), what is not believed
(`doubt`), how times are taken
(`guard.referee`), how a promotion is stored (`memory.board`).
"""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from guard.benchmark import (
    LogInterval,
    auditable,
    counted,
    log_interval,
    pair_values,
    usable,
    workload_intervals,
)
from guard.bound import beyond_light
from guard.domain.bound import Bound
from guard.domain.decision import Decision, Interval, Policy, Terms, Verdict
from guard.domain.probe import Probe
from guard.domain.trace import Duel, Verification
from guard.doubt import audits, doubt, per_workload
from guard.promotion import (
    Finding,
    finding,
    goes_on,
    is_hopeless,
    is_large,
    promotes,
    weight,
)
from guard.steadiness import remarks, steady, unsettled

NOTHING_KNOWN = Interval(estimate=1.0, low=1e-3, high=1e3)
"""The speedup of a duel without one usable turn: an interval that claims nothing."""
NO_BOUNDS: Mapping[str, Bound] = MappingProxyType({})


def decide(
    verification: Verification,
    duel: Duel,
    policy: Policy,
    terms: Terms,
    loose: Sequence[Probe] = (),
    bounds: Mapping[str, Bound] = NO_BOUNDS,
) -> Decision:
    """Say what becomes of a candidate that fought this duel against the champion.

    Rejected: it failed the guard, before or while being timed. Suspect: the figures cannot be
    true, for the workloads' `bounds` or otherwise, or do not fit together. Promoted: over at least
    `min_pairs` process pairs the sequential test finds a gain, the mean of the pairs reaches
    `min_gain` and its interval excludes none, no workload clearly lost more than `max_regression`,
    every workload was audited, the sandbox it was verified in reached `min_grade`, and no wrong
    answer passes for right on this problem (none is `loose`).
    Accepted: within `near_best` of the champion, or the test is still open. Reverted: slower.
    """
    refused = _refusal(verification, duel)
    if refused:
        return Decision(verdict=Verdict.REJECTED, reason=refused)
    counts = steady(duel, policy)
    measured = _log_interval(counts, policy, terms)
    doubted = doubt(verification, counts, policy, measured) or beyond_light(counts, bounds)
    if doubted or measured is None:
        verdict = Verdict.SUSPECT if doubted else Verdict.ACCEPTED
        reason = doubted or "Inconclusive: it is correct, and nothing that counts was timed."
    else:
        verdict, reason = _compare(verification, counts, policy, terms, measured, loose)
    return Decision(
        verdict=verdict,
        reason=f"{reason} {remarks(duel, policy)}".rstrip(),
        over_champion=measured.factors() if measured else None,
    )


def needs_more(duel: Duel, policy: Policy, terms: Terms) -> bool:
    """Whether another process pair could still change the decision: see `promotion.goes_on`.

    No, once it failed, a clock was fooled, or a pair has timed nothing that counts of a workload.
    """
    counts = steady(duel, policy)
    if duel.failures or not all(usable(t) for p in counts.pairs for t in p.workloads):
        return False
    values = pair_values(counts, policy)
    return len(values) == len(duel.pairs) and goes_on(values, terms, policy)


def clears(duel: Duel, policy: Policy, terms: Terms) -> bool:
    """Whether these figures alone would promote: what a champion against itself must not reach."""
    counts = steady(duel, policy)
    if duel.failures or unsettled(counts) or _lost_workload(counts, policy):
        return False
    return promotes(pair_values(counts, policy), terms, policy)


def speedup(duel: Duel, policy: Policy | None = None, terms: Terms | None = None) -> Interval:
    """The candidate's speedup over the duel's champion: a geometric mean with its interval.

    With `terms` the interval also knows how A/A pairs scattered (see `benchmark.log_interval`).
    Timings whose median is not positive are left out; without any, `NOTHING_KNOWN`.
    """
    policy = policy or Policy()
    measured = _log_interval(steady(duel, policy), policy, terms)
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


def _compare(
    verification: Verification,
    duel: Duel,
    policy: Policy,
    terms: Terms,
    measured: LogInterval,
    loose: Sequence[Probe],
) -> tuple[Verdict, str]:
    """The verdict on figures that are believed, with its sentence."""
    values = pair_values(duel, policy)
    found, nats = finding(values, terms, policy), weight(values, terms, policy)
    figures = (
        f"{_figures(measured, duel, policy)}: weight for a gain {nats:.1f} "
        f"of {-math.log(terms.alpha):.1f} nats at sigma {terms.sigma:.2%}"
    )
    if found is Finding.GAIN:
        held = _held_back(verification, duel, policy, loose)
        if held:
            return Verdict.ACCEPTED, f"{figures}, not promoted: {held}."
        return Verdict.PROMOTED, f"{figures}: that is a gain."
    if found is Finding.OPEN and not is_hopeless(values, policy):
        return Verdict.ACCEPTED, f"{figures}: inconclusive."
    if measured.estimate >= -math.log1p(policy.near_best):
        return Verdict.ACCEPTED, f"{figures}: near the champion, and no gain."
    return Verdict.REVERTED, f"{figures}: slower{_given_up(verification, duel)}."


def _given_up(verification: Verification, duel: Duel) -> str:
    """How many workloads a first pair timed that ended early, or nothing."""
    timed, listed = len(duel.pairs[0].workloads), len(verification.listed)
    return f", each of the {timed} of {listed} workloads that were timed" if timed < listed else ""


def _held_back(
    verification: Verification,
    duel: Duel,
    policy: Policy,
    loose: Sequence[Probe],
) -> str:
    """Why a gain that was found is still no promotion, or nothing."""
    if loose:
        return (
            f"the problem is not admitted, since {loose[0].impostor} would pass for right on "
            f"workload {loose[0].workload!r}"
        )
    grade = min(j.evaluation.environment.sandbox_grade for j in verification.judgements)
    if grade < policy.min_grade:
        return f"it was verified at sandbox grade {grade}, and a promotion needs {policy.min_grade}"
    undecided = unsettled(duel)
    if undecided:
        return f"workload {undecided[0]!r} has a process pair in which none of its turns counts"
    unaudited = set(per_workload(duel)) - set(audits(duel, policy))
    if unaudited:
        return f"workload {min(unaudited)!r} was not audited: nothing there forces calls into order"
    if not is_large(pair_values(duel, policy), policy):
        return f"the mean gain is not clearly above zero and at least {policy.min_gain:.1%}"
    return _lost_workload(duel, policy)


def _lost_workload(duel: Duel, policy: Policy) -> str:
    """A workload that clearly lost more than is allowed, or nothing."""
    allowed = -math.log1p(policy.max_regression)
    intervals = workload_intervals(duel, policy)
    lost = [w for w, i in intervals.items() if i.estimate < allowed and i.high < 0]
    if not lost:
        return ""
    worst = min(lost, key=lambda workload: intervals[workload].estimate)
    longer = math.expm1(-intervals[worst].estimate)
    return f"workload {worst!r} takes {longer:.1%} longer (allowed: {policy.max_regression:.1%})"


def _figures(measured: LogInterval, duel: Duel, policy: Policy) -> str:
    factors = measured.factors()
    timings = (t for pair in duel.pairs for t in pair.workloads if t.champion_ms)
    unseen = sorted({t.workload for t in timings if not auditable(t, policy)})
    left_out = f"; gains on {', '.join(unseen)} left out: too short for audits" if unseen else ""
    return (
        f"{factors.estimate:.3f} times as fast as the champion (95 % interval "
        f"{factors.low:.3f} to {factors.high:.3f}, process pairs: {len(duel.pairs)}{left_out})"
    )


def _log_interval(duel: Duel, policy: Policy, terms: Terms | None) -> LogInterval | None:
    pairs = [[counted(t, policy) for t in pair.workloads if usable(t)] for pair in duel.pairs]
    timed = [found for found in pairs if found]
    return log_interval(timed, policy.sigma_floor, terms) if timed else None
