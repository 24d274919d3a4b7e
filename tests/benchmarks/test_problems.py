import pytest

from benchmarks._problems import read_problem, row_counts, write_problem


@pytest.mark.parametrize(
    ("count", "smallest", "largest", "expected"),
    [
        pytest.param(1, 8, 256, (8,), id="one"),
        pytest.param(3, 1, 100, (1, 10, 100), id="by the same factor"),
        pytest.param(4, 1, 2, (1, 2, 3, 4), id="never the same twice"),
    ],
)
def test_row_counts_grow_and_never_repeat(count, smallest, largest, expected):
    assert row_counts(count, smallest, largest) == expected


@pytest.mark.parametrize(
    ("example", "kind", "axis"),
    [
        pytest.param("softmax_rows", "cpu", "M", id="for a CPU"),
        pytest.param("rmsnorm_residual", "nvidia", "tokens", id="for a GPU"),
    ],
)
def test_a_problem_has_one_workload_for_each_number_of_rows(example, kind, axis, tmp_path):
    problem = read_problem(write_problem(tmp_path, example, kind, (4, 9)))
    assert [each.axes[axis] for each in problem.workloads_for(kind)] == [4, 9]
    assert [each.uuid for each in problem.workloads_for(kind)] == ["rows-4", "rows-9"]
