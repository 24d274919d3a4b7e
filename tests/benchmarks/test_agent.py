import pytest

from benchmarks._agent import as_it_must_be
from benchmarks._stream import Outcome

PASSED = {"verdict": "correct on all 3 workloads", "workloads": [{"status": "PASSED"}]}
WRONG = {
    "verdict": "failed on 1 of 3 workloads judged",
    "workloads": [{"status": "PASSED"}, {"status": "INCORRECT_NUMERICAL"}],
}
CRASHED = {
    "verdict": "failed on 1 of 1 workloads judged",
    "workloads": [{"status": "RUNTIME_ERROR"}],
}
BROKEN = {"verdict": "does not compile", "workloads": [{"status": "COMPILE_ERROR"}]}
REFUSED = {"code": "claim_closed", "message": "It was released."}


@pytest.mark.parametrize(
    ("facts", "outcome"),
    [
        pytest.param(PASSED, Outcome.CORRECT, id="passed"),
        pytest.param(WRONG, Outcome.WRONG, id="wrong numbers"),
        pytest.param(BROKEN, Outcome.COMPILE_ERROR, id="no machine code"),
        pytest.param(CRASHED, None, id="a crash is none of the three"),
        pytest.param(REFUSED, None, id="a refusal is no verdict"),
    ],
)
def test_a_verdict_counts_only_for_the_kind_that_was_handed_in(facts, outcome):
    assert [each for each in Outcome if as_it_must_be(each, facts)] == (
        [outcome] if outcome else []
    )
