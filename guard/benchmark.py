"""What timed duels say: log-ratios, their intervals, and one evaluation per workload.

Pure functions over recorded numbers: no clock, no disk, no device, no logging. The same numbers
give the same answer, so everything on the board can be computed again.

    Duel -> turns -> median per workload -> mean per pair -> Student-t over pairs -> Interval
                                                  └────────> the sequential test (`promotion`)

The independent unit is the process pair, never the single turn: turns of one process share its
memory layout and its luck, and a test that counts them as independent promotes noise.

Start at `log_interval`; `evaluations` is what the board stores per workload.
Not here: what follows from the numbers (`gate`), how they were taken (`guard.referee`).
"""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import NamedTuple

from guard.domain.decision import Interval, Policy, Terms
from guard.domain.trace import (
    Duel,
    Evaluation,
    Passed,
    Performance,
    ProcessPair,
    Timed,
    Verification,
    WorkloadTiming,
)
from guard.steadiness import steady

Turns = tuple[float, ...]
"""The log-ratios ln(champion ÷ candidate) of one workload in one process pair."""

STUDENT_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
"""97.5 % quantiles of Student's t for 1 to 30 degrees of freedom.

Source: NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.2. More degrees of freedom
take the last entry, which is on the safe side.
"""

# The standard error of a median is this much larger than a mean's for normal noise: sqrt(pi / 2).
MEDIAN_COST = math.sqrt(math.pi / 2)
TURNS_APART = 2.0
"""How many median absolute deviations of the plain turns a missing gain must exceed."""
# Beyond this, exp() would leave the range in which a factor is finite and above zero.
LOG_LIMIT = 600.0


class LogInterval(NamedTuple):
    """A log-ratio with its two-sided 95 % interval; above zero the candidate is faster."""

    estimate: float
    low: float
    high: float

    def factors(self) -> Interval:
        """The same as speedup factors."""
        low, estimate, high = (
            math.exp(max(-LOG_LIMIT, min(LOG_LIMIT, x)))
            for x in (self.low, self.estimate, self.high)
        )
        return Interval(estimate=estimate, low=low, high=high)


class MissingGain(NamedTuple):
    """A candidate's gain per call over the champion, plain and in audit blocks, milliseconds."""

    claimed_ms: float
    shown_ms: float
    allowed_ms: float

    @property
    def beyond_ms(self) -> float:
        """How much more is missing than may be; not above zero for an honest candidate.

        No more is missing than was claimed. Who loses in audit blocks has longer calls there, such
        as one whose streams fork and join, and each join waits for the referee's work as well.
        """
        return self.claimed_ms - max(self.shown_ms, 0.0) - self.allowed_ms


def missing_gain(timing: WorkloadTiming, log_ratio: float, policy: Policy) -> MissingGain:
    """How much of the gain that `log_ratio` claims is missing in this timing's audit blocks.

    Folds take the same time on both sides, so they drop out of the difference. Whatever disturbs a
    block makes it longer, so the least of the few audits says most; how far the next one lies is
    allowed for, and so are turns of the plain blocks that disagree.
    """
    plain_ms = median(timing.champion_ms)
    audits = (sorted(timing.champion_audit_ms), sorted(timing.candidate_audit_ms))
    unsure_ms = sum(side[1] - side[0] for side in audits if len(side) > 1)
    plain = [a - b for a, b in zip(timing.champion_ms, timing.candidate_ms, strict=True)]
    middle_ms = median(plain)
    unsure_ms += TURNS_APART * median(abs(gain_ms - middle_ms) for gain_ms in plain)
    return MissingGain(
        claimed_ms=plain_ms * -math.expm1(-log_ratio),
        shown_ms=audits[0][0] - audits[1][0],
        allowed_ms=_slack_ms(timing, policy) + unsure_ms,
    )


def _slack_ms(timing: WorkloadTiming, policy: Policy) -> float:
    """How much of a call's gain may be missing however quiet the host is, milliseconds."""
    graph = timing.mode == "graph"
    slack_ms = policy.audit_slack_ms if graph else policy.host_audit_slack_ms
    return slack_ms + policy.audit_slack * median(timing.champion_ms)


def auditable(timing: WorkloadTiming, policy: Policy) -> bool:
    """Whether calls are long enough for audit blocks to see that they were merged.

    It does not matter here whether this pair was audited: no process knows which one will be.
    """
    return _slack_ms(timing, policy) <= policy.audit_resolution * median(timing.champion_ms)


def counted(timing: WorkloadTiming, policy: Policy) -> Turns:
    """The turns as they count: where calls are too short for audits, losses but no gains."""
    found = turns(timing)
    return found if auditable(timing, policy) else tuple(min(ratio, 0.0) for ratio in found)


def usable(timing: WorkloadTiming) -> bool:
    """Whether both sides have as many figures, all finite, with positive medians.

    A single figure may be disturbed on a busy host, even below zero; a median is not.
    """
    both = (timing.champion_ms, timing.candidate_ms)
    return (
        0 < len(timing.champion_ms) == len(timing.candidate_ms)
        and all(math.isfinite(time) for side in both for time in side)
        and all(median(side) > 0 for side in both)
        and bool(turns(timing))
    )


def turns(timing: WorkloadTiming) -> Turns:
    """The log-ratio of each turn in which both figures are positive."""
    sides = zip(timing.champion_ms, timing.candidate_ms, strict=True)
    return tuple(
        math.log(champion) - math.log(candidate)
        for champion, candidate in sides
        if champion > 0 and candidate > 0
    )


def usable_turns(pair: ProcessPair) -> dict[str, Turns]:
    """The turns of one pair per workload; timings that are not usable are left out."""
    return {timing.workload: turns(timing) for timing in pair.workloads if usable(timing)}


def pair_values(duel: Duel, policy: Policy) -> list[float]:
    """One log-ratio per process pair that was timed, as it counts for a decision."""
    pairs = [[counted(t, policy) for t in pair.workloads if usable(t)] for pair in duel.pairs]
    return [fmean(median(t) for t in workloads) for workloads in pairs if workloads]


def noise_values(duel: Duel, policy: Policy) -> list[float]:
    """The same as it was timed, whether or not audits could see: how much it scatters."""
    pairs = [usable_turns(pair).values() for pair in steady(duel, policy).pairs]
    return [fmean(median(t) for t in workloads) for workloads in pairs if workloads]


def workload_intervals(duel: Duel, policy: Policy) -> dict[str, LogInterval]:
    """Each workload's log-ratio as it counts, over the pairs in which it was timed."""
    found: dict[str, list[list[Turns]]] = {}
    for pair in duel.pairs:
        for timing in filter(usable, pair.workloads):
            found.setdefault(timing.workload, []).append([counted(timing, policy)])
    return {w: log_interval(pairs, policy.sigma_floor) for w, pairs in found.items()}


def log_interval(
    pairs: Sequence[Sequence[Turns]], sigma_floor: float, terms: Terms | None = None
) -> LogInterval:
    """Estimate the log-ratio from process pairs; each holds the turns of its workloads.

    One pair counts as one value: the mean over workloads of the median over turns, which is the
    logarithm of a geometric mean. The interval is Student's over these values, with a standard
    deviation of at least `sigma_floor`: a few pairs can agree by luck.

    `terms` tell how A/A pairs of the same campaign scattered. Then the variance is pooled with
    theirs, each of those pairs counting as one degree of freedom (NIST/SEMATECH e-Handbook of
    Statistical Methods, 7.3.1): two pairs alone leave a single one.

    With a single pair and no A/A pairs the spread between processes cannot be seen. The interval
    then rests on the spread of the turns within it, combined with `sigma_floor`; nothing is
    promoted on it.
    """
    values = [fmean(median(t) for t in workloads) for workloads in pairs]
    estimate = fmean(values)
    known = terms.aa_pairs if terms is not None else 0
    freedom = len(values) - 1 + known
    if freedom:
        squares = sum((x - estimate) ** 2 for x in values)
        squares += known * terms.sigma**2 if terms is not None else 0.0
        error = max(math.sqrt(squares / freedom), sigma_floor) / math.sqrt(len(values))
    else:
        error, freedom = _within(pairs[0], sigma_floor)
    reach = STUDENT_975[min(max(freedom, 1), len(STUDENT_975)) - 1] * error
    return LogInterval(estimate, estimate - reach, estimate + reach)


def _within(workloads: Sequence[Turns], sigma_floor: float) -> tuple[float, int]:
    """The standard error of one pair's value from its turns, and the degrees of freedom."""
    freedom = sum(len(t) - 1 for t in workloads)
    squares = sum((x - fmean(t)) ** 2 for t in workloads for x in t)
    spread = math.sqrt(squares / freedom) if freedom else 0.0
    count = sum(len(t) for t in workloads)
    return math.hypot(sigma_floor, MEDIAN_COST * spread / math.sqrt(count)), freedom


def derived(champion: Interval, over_champion: Interval) -> Interval:
    """A speedup over the baseline, from the champion's own and the ratio to the champion.

    The two were measured in different processes, so their uncertainties add as variances do.
    """
    estimate = math.log(champion.estimate) + math.log(over_champion.estimate)
    below, above = (
        math.hypot(
            *(math.log(getattr(one, end) / one.estimate) for one in (champion, over_champion))
        )
        for end in ("low", "high")
    )
    return LogInterval(estimate, estimate - below, estimate + above).factors()


def evaluations(
    verification: Verification,
    fought: Duel,
    policy: Policy,
    through: Mapping[str, float] | None = None,
) -> dict[str, Evaluation]:
    """One evaluation per workload: timed where it was timed, failed where it failed.

    A failure while being timed replaces the verification's answer. A workload that was verified
    and has no usable timing keeps its untimed answer. Hidden shapes are not timed and get none.
    With `through`, the duel was against a champion with these speedups over the baseline per
    workload, and the candidate's are derived from them.
    """
    answers = {j.workload: j.evaluation for j in verification.listed}
    counts = steady(fought, policy)
    for workload, evaluation in answers.items():
        ratio = 1.0 if through is None else through.get(workload)
        performance = _performance(workload, counts, policy, ratio) if ratio else None
        if performance is not None and isinstance(evaluation, Passed):
            how = "" if through is None else DERIVED
            answers[workload] = _timed(evaluation, performance[0], performance[1] + how)
    answers.update({j.workload: j.evaluation for j in fought.failures})
    return answers


DERIVED = " Derived: measured against the champion, times the champion's own figure."


def _performance(
    workload: str, duel: Duel, policy: Policy, ratio: float
) -> tuple[Performance, str] | None:
    timings = [t for p in duel.pairs for t in p.workloads if t.workload == workload and usable(t)]
    if not timings:
        return None
    found = log_interval([[counted(t, policy)] for t in timings], policy.sigma_floor)
    interval = LogInterval(*(x + math.log(ratio) for x in found)).factors()
    short = "" if all(auditable(t, policy) for t in timings) else ", too short for audits to count"
    warm = [t.candidate_warm_ms for t in timings if t.candidate_warm_ms is not None]
    prepared = [t.candidate_prepare_ms for t in timings if t.candidate_prepare_ms is not None]
    performance = Performance(
        latency_ms=median(median(t.candidate_ms) for t in timings),
        reference_latency_ms=median(median(t.champion_ms) for t in timings) * ratio,
        speedup_factor=interval.estimate,
        warm_latency_ms=median(warm) if warm else None,
        prepare_ms=median(prepared) if prepared else None,
    )
    evidence = (
        f"{performance.latency_ms:.4g} ms a call against the baseline's "
        f"{performance.reference_latency_ms:.4g} ms{short}: {interval.estimate:.3f} times as fast "
        f"(95 % interval {interval.low:.3f} to {interval.high:.3f}, process pairs: {len(timings)})."
    )
    return performance, evidence


def _timed(evaluation: Passed, performance: Performance, evidence: str) -> Timed:
    return Timed(
        environment=evaluation.environment,
        timestamp=evaluation.timestamp,
        log="\n".join(part for part in (evidence, evaluation.log) if part),
        correctness=evaluation.correctness,
        performance=performance,
    )
