import pytest

from benchmarks._figures import cells, percentile, spread


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        pytest.param([3.0], 95, 3.0, id="a single value is every percentile"),
        pytest.param([1.0, 2.0], 50, 1.5, id="between two neighbours"),
        pytest.param([float(n) for n in range(101)], 95, 95.0, id="a hundred steps"),
        pytest.param([5.0, 1.0, 3.0], 50, 3.0, id="the order does not matter"),
    ],
)
def test_a_percentile_lies_between_its_neighbours(values, percent, expected):
    assert percentile(values, percent) == pytest.approx(expected)


def test_a_spread_tells_median_95th_percentile_and_worst():
    found = spread([4.0, 1.0, 2.0, 3.0, 10.0])
    assert found is not None
    assert (found.count, found.median, found.worst) == (5, 3.0, 10.0)
    assert 4.0 < found.p95 < 10.0


def test_nothing_measured_is_told_as_dashes_and_not_as_zero():
    assert spread([]) is None
    assert cells(None) == ("0", "-", "-", "-")
    assert cells(spread([0.25]), " ms", 1e3) == ("1", "250 ms", "250 ms", "250 ms")
