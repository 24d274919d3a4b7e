"""`guard.referee.cores`: as many builders as there are cores that no timing needs."""

import pytest

from guard.referee.cores import MAX_BUILDERS, Cores, shared_out

HOSTS = [
    # cores, referees on the host, the share of one
    pytest.param(1, 1, Cores(1, (), False), id="one core"),
    pytest.param(2, 1, Cores(1, (), False), id="two cores take turns"),
    pytest.param(3, 1, Cores(1, (), False), id="three cores take turns"),
    pytest.param(4, 1, Cores(2, (0, 1), True), id="four cores leave two alone"),
    pytest.param(4, 2, Cores(1, (), False), id="four cores for two devices take turns"),
    pytest.param(16, 2, Cores(6, tuple(range(12)), True), id="a GPU beside the processor"),
    pytest.param(128, 9, Cores(12, tuple(range(110)), True), id="eight GPUs"),
    pytest.param(128, 1, Cores(MAX_BUILDERS, tuple(range(126)), True), id="very many cores"),
    pytest.param(4, 0, Cores(2, (0, 1), True), id="a device that is no longer found"),
]


@pytest.mark.parametrize(("cores", "referees", "expected"), HOSTS)
def test_what_timing_needs_is_left_alone(cores, referees, expected):
    assert shared_out(range(cores), referees) == expected
