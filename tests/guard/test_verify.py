"""`guard.verify`: what recorded comparisons mean."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.domain.problem import Tolerance
from guard.verify import Comparison, Finding, judge

TOLERANCE = Tolerance(max_atol=1e-3, max_rtol=1e-2, required_matched_ratio=0.9)


def comparison(**changed):
    return Comparison(**{"output": "y", "elements": 1000, "matched": 1000, **changed})


FINDINGS = [
    pytest.param({"unwritten": 1, "matched": 999}, Finding.NOT_WRITTEN, id="one not written"),
    pytest.param({"nan": 2, "nonfinite": 2, "matched": 998}, Finding.NOT_FINITE, id="NaN"),
    pytest.param({"inf": 1, "nonfinite": 1, "matched": 999}, Finding.NOT_FINITE, id="infinite"),
    pytest.param({"beyond": 1, "matched": 999}, Finding.TOO_FAR, id="one beyond ten tolerances"),
    pytest.param({"matched": 899}, Finding.TOO_FEW, id="ratio below the required one"),
]


@pytest.mark.parametrize(("changed", "finding"), FINDINGS)
def test_each_defect_has_its_finding(changed, finding):
    outcome = judge([comparison(), comparison(**changed)], TOLERANCE)
    assert outcome.verdict == "incorrect"
    assert outcome.finding is finding


def test_the_worst_finding_is_reported_first_wherever_it_stands():
    few = comparison(output="a", matched=1, beyond=5)
    unwritten = comparison(output="b", unwritten=3, matched=997, call="call 4, wide inputs")
    outcome = judge([few, unwritten], TOLERANCE)
    assert outcome.finding is Finding.NOT_WRITTEN
    assert outcome.reason == (
        "Output 'b' of call 4, wide inputs: 3 of 1,000 elements were not written."
    )


@pytest.mark.parametrize(
    ("matched", "verdict"), [(900, "correct"), (899, "incorrect")], ids=["exactly", "one less"]
)
def test_the_required_ratio_itself_is_enough(matched, verdict):
    assert judge([comparison(matched=matched)], TOLERANCE).verdict == verdict


@pytest.mark.parametrize(
    ("cap", "verdict"),
    [(None, "correct"), (0.5, "correct"), (0.4, "incorrect")],
    ids=["no cap", "at the cap", "over the cap"],
)
def test_the_error_cap_counts_only_when_set(cap, verdict):
    capped = TOLERANCE.model_copy(update={"max_error_cap": cap})
    outcome = judge([comparison(max_abs=0.5)], capped)
    assert outcome.verdict == verdict


def test_an_empty_output_is_correct():
    outcome = judge([comparison(elements=0, matched=0)], TOLERANCE)
    assert outcome.verdict == "correct"
    assert outcome.correctness.matched_ratio == 1.0


def test_the_smallest_ratio_and_the_largest_errors_are_kept():
    outcome = judge(
        [comparison(matched=950, max_abs=0.1, max_rel=3.0), comparison(max_abs=0.2)], TOLERANCE
    )
    assert outcome.correctness.matched_ratio == 0.95
    assert outcome.correctness.max_absolute_error == 0.2
    assert outcome.correctness.max_relative_error == 3.0


@pytest.mark.parametrize(
    ("changed", "flags"),
    [
        pytest.param({"nan": 1, "nonfinite": 1, "max_abs": math.nan}, (True, False), id="NaN"),
        pytest.param({"inf": 1, "nonfinite": 1, "max_abs": math.inf}, (False, True), id="inf"),
        pytest.param({"max_rel": math.inf}, (False, True), id="an error that overflows"),
    ],
)
def test_errors_that_are_no_numbers_become_zero_and_a_flag(changed, flags):
    correctness = judge([comparison(**changed)], TOLERANCE).correctness
    assert (correctness.has_nan, correctness.has_inf) == flags
    assert 0.0 in (correctness.max_absolute_error, correctness.max_relative_error)
    json.loads(correctness.model_dump_json(), parse_constant=pytest.fail)


counts = st.integers(0, 1000)


@given(counts, counts, counts, counts, st.floats())
def test_a_correct_outcome_never_has_a_defect(unwritten, nonfinite, beyond, matched, error):
    one = comparison(
        unwritten=unwritten, nonfinite=nonfinite, beyond=beyond, matched=matched, max_abs=error
    )
    outcome = judge([one], TOLERANCE)
    clean = not (unwritten or nonfinite or beyond) and matched >= 900
    assert (outcome.verdict == "correct") is clean
