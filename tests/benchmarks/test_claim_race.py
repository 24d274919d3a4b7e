import pytest

from benchmarks._machine import machine
from benchmarks.claim_race import Asked, Race, summary

HELD = {"a": "c1", "b": "c2"}


def told(*asked: tuple[str, str]) -> Race:
    calls = [Asked(strategy, claim_id, 0.002) for strategy, claim_id in asked]
    return summary(machine(), 2, list(HELD), calls, HELD, 1.0)


def test_a_race_in_which_everything_is_granted_once():
    found = told(("a", "c1"), ("a", ""), ("b", ""), ("b", "c2"))
    assert (found.granted_twice, found.not_as_told) == ((), ())
    assert (found.calls.calls, found.granted.calls) == (4, 2)
    assert found.refused is not None
    assert found.refused.median_ms == pytest.approx(2.0)


def test_what_two_processes_were_told_to_hold_is_found():
    found = told(("a", "c1"), ("a", "c9"), ("b", "c2"))
    assert found.granted_twice == ("a",)
    assert found.not_as_told == ("a",)
    assert found.refused is None


@pytest.mark.parametrize("claim_id", [pytest.param("", id="nobody"), pytest.param("c9", id="else")])
def test_what_was_told_otherwise_than_on_the_board_is_found(claim_id):
    assert told(("a", "c1"), ("b", claim_id)).not_as_told == ("b",)
