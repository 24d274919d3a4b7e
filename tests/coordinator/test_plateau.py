"""The plateau's counter, from benchmarks alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.plateau import in_drafting, own_best, stalled
from guard.domain.decision import Policy, Verdict
from tests.coordinator.fakes import benchmark


@pytest.mark.parametrize(
    ("history", "count", "drafting"),
    [
        # + progress, - none; the newest last
        pytest.param("", 0, False, id="nothing benchmarked"),
        pytest.param("+", 0, False, id="progress"),
        pytest.param("+----", 4, False, id="one below the limit"),
        pytest.param("+-----", 5, True, id="at the limit"),
        pytest.param("-----", 5, True, id="never any progress"),
        pytest.param("----+----", 4, False, id="progress starts the count again"),
    ],
)
def test_only_an_unbroken_row_without_progress_counts(history, count, drafting):
    row = [benchmark(progress=sign == "+") for sign in history]

    assert stalled(row) == count
    assert in_drafting(stalled(row), Policy(plateau_after=5)) is drafting


@given(st.lists(st.booleans()))
def test_the_counter_is_the_length_of_the_tail(progress):
    row = [benchmark(progress=p) for p in progress]

    tail = len(row) if True not in progress else progress[::-1].index(True)

    assert stalled(row) == tail


@pytest.mark.parametrize(
    ("row", "best"),
    [
        pytest.param([], None, id="nothing benchmarked"),
        pytest.param([benchmark(speedup=0.8), benchmark(speedup=0.7)], 0.8, id="slower ones count"),
        pytest.param(
            [benchmark(speedup=1.2), benchmark(Verdict.SUSPECT, speedup=99.0)],
            1.2,
            id="a suspect time sets no mark",
        ),
        pytest.param([benchmark(Verdict.REJECTED, speedup=3.0)], None, id="nor does a wrong one"),
        pytest.param([benchmark(Verdict.ACCEPTED, timed=False)], None, id="nor an untimed one"),
    ],
)
def test_own_best_is_the_best_believed_speedup(row, best):
    assert own_best(row) == best
