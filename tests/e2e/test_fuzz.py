"""Two hundred mutated submissions through a real server: `python -m benchmarks.fuzz` sends more."""

from benchmarks.fuzz import fuzz

COUNT = 200
SEED = 3


def test_mutated_submissions_leave_the_server_healthy(tmp_path):
    # Shown when it fails: the same calls again are `--count 200 --seed 3`.
    print(f"seed {SEED}")
    found = fuzz(COUNT, SEED, tmp_path)
    assert found.violations == []
    # It was no test of the door alone: candidates were compiled, run and told apart.
    verdicts = {"result: correct", "result: failed", "result: does not compile"}
    assert verdicts <= set(found.answers)
    assert {"bad_value", "malformed_solution", "unknown_argument"} <= set(found.answers)
    assert found.problems["refused"] > 0
