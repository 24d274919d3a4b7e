"""Offering the nearest known name."""

import pytest

from guard.domain.nearest import did_you_mean


@pytest.mark.parametrize(
    ("wrong", "known", "expected"),
    [
        pytest.param("benchmrk", ["benchmark", "job_wait"], "Did you mean 'benchmark'?", id="near"),
        pytest.param("zzz", ["b", "a"], "Known: a, b.", id="far"),
        pytest.param("zzz", [], "None is known here.", id="none"),
    ],
)
def test_did_you_mean(wrong, known, expected):
    assert did_you_mean(wrong, known) == expected
