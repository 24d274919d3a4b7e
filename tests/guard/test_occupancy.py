"""`guard.occupancy`: figures as NVIDIA's occupancy calculator gives them."""

import pytest

from guard.occupancy import LIMITS, limits, occupancy, warps_by_registers


@pytest.mark.parametrize(
    ("architecture", "registers", "shared", "threads", "blocks", "percent", "limited_by"),
    [
        pytest.param("sm_90a", 24, 0, 256, 8, 100, ("threads",), id="all warps"),
        pytest.param("sm_90a", 255, 0, 256, 1, 12, ("registers",), id="registers"),
        pytest.param("sm_90a", 64, 0, 256, 4, 50, ("registers",), id="half by registers"),
        pytest.param("sm_90a", 32, 100 * 1024, 256, 2, 25, ("shared memory",), id="shared"),
        pytest.param("sm_90a", 16, 0, 32, 32, 50, ("blocks",), id="small blocks"),
        pytest.param("sm_90a", 32, 0, 1000, 2, 100, ("registers", "threads"), id="a part warp"),
        pytest.param("sm_90", 168, 227 * 1024, 384, 1, 19, ("registers", "shared memory"),
                     id="a warp-specialised product"),
        pytest.param("sm_90a", 32, 0, 2048, 1, 100, ("registers", "threads"), id="more than is"),
        pytest.param("sm_90a", 255, 0, 1024, 0, 0, ("registers",), id="nothing fits"),
        pytest.param("sm_75", 32, 0, 128, 8, 100, ("threads",), id="turing"),
        pytest.param("sm_86", 40, 0, 512, 3, 100, ("registers", "threads"), id="ampere"),
    ],
)  # fmt: skip
def test_what_fits_and_what_keeps_out_more(
    architecture, registers, shared, threads, blocks, percent, limited_by
):
    has = limits(architecture)
    assert has is not None
    found = occupancy(has, registers, shared, threads)
    assert (found.blocks, found.percent) == (blocks, percent)
    assert found.limited_by == limited_by


@pytest.mark.parametrize(
    ("registers", "warps"), [(0, 256), (8, 256), (32, 64), (33, 48), (128, 16), (255, 8)]
)
def test_registers_are_given_to_warps_in_steps(registers, warps):
    assert warps_by_registers(registers) == warps


@pytest.mark.parametrize("architecture", ["", "native", "gfx942", "sm_999", "sm_90aa"])
def test_an_unknown_architecture_has_no_limits(architecture):
    assert limits(architecture) is None


def test_every_listed_capability_holds_a_block_of_a_warp():
    assert all(occupancy(has, 32, 0, 32).blocks == has.blocks for has in LIMITS.values())
