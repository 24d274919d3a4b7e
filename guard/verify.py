"""Judge recorded comparisons: is a candidate's output right, and if not, what is wrong with it.

Pure functions over counts and errors: no torch, no device, no clock. The same numbers give the
same outcome, so each verdict can be replayed from what was recorded.

    Comparison (one output of one call) × Tolerance  ->  Correct | Incorrect

Start at `judge`. The worst finding is reported first: not written, not finite, beyond ten times
the tolerance, too few elements within it, over the error cap. Not here: counting elements
(`guard.referee.compare`).
"""

import math
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from guard.domain.problem import Tolerance
from guard.domain.trace import Correctness
from guard.domain.value import Value

BEYOND = 10.0
"""No element may lie further than this many tolerances from the expected one."""
Count = Annotated[int, Field(ge=0)]


class Comparison(Value):
    """One output of one call against its expected value, every element counted."""

    output: str
    """The output's name."""
    call: str = ""
    """Which call it was, in words for people, such as ``call 3, shifted inputs``."""
    elements: Count
    unwritten: Count = 0
    """Elements that still hold the poison."""
    nan: Count = 0
    """Written elements that are NaN."""
    inf: Count = 0
    """Written elements that are infinite where no such infinity is allowed."""
    nonfinite: Count = 0
    """Written elements that are NaN or infinite, save an allowed and expected -inf."""
    matched: Count = 0
    """Elements within tolerance; an allowed and expected -inf counts."""
    beyond: Count = 0
    """Finite elements further than `BEYOND` tolerances away."""
    max_abs: float = 0.0
    """Largest |x - y| over finite elements."""
    max_rel: float = 0.0
    """Largest |x - y| / max(|y|, max_atol) over finite elements."""

    @property
    def matched_ratio(self) -> float:
        """The share of elements within tolerance; an empty output matches."""
        return self.matched / self.elements if self.elements else 1.0


class Finding(StrEnum):
    """What is wrong with an output, worst first."""

    NOT_WRITTEN = "not written"
    NOT_FINITE = "not finite"
    TOO_FAR = "too far off"
    TOO_FEW = "too few within tolerance"
    OVER_CAP = "over the error cap"


class Correct(Value):
    """Every comparison is within the workload's tolerance."""

    verdict: Literal["correct"] = "correct"
    correctness: Correctness
    reason: str
    """One calm sentence with the evidence."""


class Incorrect(Value):
    """At least one comparison is not."""

    verdict: Literal["incorrect"] = "incorrect"
    finding: Finding
    correctness: Correctness
    reason: str
    """One calm sentence with the evidence."""


Outcome = Annotated[Correct | Incorrect, Field(discriminator="verdict")]


def judge(comparisons: Sequence[Comparison], tolerance: Tolerance) -> Correct | Incorrect:
    """Say whether all comparisons pass, and else the worst finding of the first that shows it."""
    correctness = _correctness(comparisons)
    for finding, describe in _FINDINGS.items():
        for comparison in comparisons:
            evidence = describe(comparison, tolerance)
            if evidence:
                reason = f"{_where(comparison)}: {evidence}."
                return Incorrect(finding=finding, correctness=correctness, reason=reason)
    return Correct(correctness=correctness, reason=_all_right(comparisons, correctness))


def _correctness(comparisons: Sequence[Comparison]) -> Correctness:
    relative = max((c.max_rel for c in comparisons), default=0.0)
    absolute = max((c.max_abs for c in comparisons), default=0.0)
    has_nan = any(c.nan for c in comparisons)
    # Strict JSON has no NaN or Infinity: such an error is reported as 0.0 beside a flag.
    flagged = not (math.isfinite(relative) and math.isfinite(absolute))
    return Correctness(
        max_relative_error=relative if math.isfinite(relative) else 0.0,
        max_absolute_error=absolute if math.isfinite(absolute) else 0.0,
        has_nan=has_nan,
        has_inf=any(c.inf for c in comparisons) or (flagged and not has_nan),
        matched_ratio=min((c.matched_ratio for c in comparisons), default=1.0),
    )


def _where(comparison: Comparison) -> str:
    call = f" of {comparison.call}" if comparison.call else ""
    return f"Output {comparison.output!r}{call}"


def _all_right(comparisons: Sequence[Comparison], correctness: Correctness) -> str:
    elements = sum(c.elements for c in comparisons)
    return (
        f"All of {len(comparisons)} outputs compared ({elements:,} elements) are within tolerance; "
        f"the largest absolute error is {correctness.max_absolute_error:.3g}."
    )


def _not_written(comparison: Comparison, _: Tolerance) -> str:
    if not comparison.unwritten:
        return ""
    return f"{comparison.unwritten:,} of {comparison.elements:,} elements were not written"


def _not_finite(comparison: Comparison, _: Tolerance) -> str:
    if not comparison.nonfinite:
        return ""
    return (
        f"{comparison.nonfinite:,} of {comparison.elements:,} elements are NaN or infinite "
        "where the expected ones are finite"
    )


def _too_far(comparison: Comparison, tolerance: Tolerance) -> str:
    if not comparison.beyond:
        return ""
    return (
        f"{comparison.beyond:,} of {comparison.elements:,} elements are further off than "
        f"{BEYOND:g} times the tolerance (atol {tolerance.max_atol:g}, rtol "
        f"{tolerance.max_rtol:g}); the largest absolute error is {comparison.max_abs:.3g}"
    )


def _too_few(comparison: Comparison, tolerance: Tolerance) -> str:
    if comparison.matched_ratio >= tolerance.required_matched_ratio:
        return ""
    return (
        f"{comparison.matched:,} of {comparison.elements:,} elements "
        f"({comparison.matched_ratio:.4%}) are within tolerance (atol {tolerance.max_atol:g}, "
        f"rtol {tolerance.max_rtol:g}); {tolerance.required_matched_ratio:.4%} are required"
    )


def _over_cap(comparison: Comparison, tolerance: Tolerance) -> str:
    cap = tolerance.max_error_cap
    if cap is None or comparison.max_abs <= cap:
        return ""
    return f"the largest absolute error {comparison.max_abs:.3g} exceeds the cap {cap:g}"


# In the order in which findings are reported.
_FINDINGS: dict[Finding, Callable[[Comparison, Tolerance], str]] = {
    Finding.NOT_WRITTEN: _not_written,
    Finding.NOT_FINITE: _not_finite,
    Finding.TOO_FAR: _too_far,
    Finding.TOO_FEW: _too_few,
    Finding.OVER_CAP: _over_cap,
}
