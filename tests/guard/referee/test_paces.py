"""`guard.referee.paces`: what a call took is known again for the same work, and only so much."""

from guard.referee import paces
from guard.referee.paces import Paces
from tests.guard.trials import HONEST, solution, workload


def test_a_pace_is_known_for_the_same_solution_on_the_same_shape_alone():
    known = Paces()
    known.note(solution(), workload("one", 16, 64), 0.5)
    assert known.of(solution(), workload("one", 16, 64)) == 0.5
    assert known.of(solution(), workload("one", 32, 64)) is None
    assert known.of(solution(), workload("two", 16, 64)) is None
    assert known.of(solution(HONEST + "\n# another\n"), workload("one", 16, 64)) is None


def test_whoever_is_asked_for_is_kept(monkeypatch):
    monkeypatch.setattr(paces, "MOST", 2)
    known = Paces()
    for name in ("champion", "first", "second"):
        known.note(solution(), workload(name, 16, 64), 1.0)
        known.of(solution(), workload("champion", 16, 64))
    told = [known.of(solution(), workload(n, 16, 64)) for n in ("champion", "first", "second")]
    assert told == [1.0, None, 1.0]
