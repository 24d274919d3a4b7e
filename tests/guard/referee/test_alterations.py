"""`guard.referee.alterations`: both ends of a scale, and no spread lost far from zero."""

import pytest
import torch

from guard.domain.problem import Tolerance
from guard.referee.alterations import ROW_OCTAVES, push_away, scale_rows

DTYPES = [
    # dtype, tolerance, least offset, most offset
    pytest.param(torch.float32, 1e-2, 2000, 10_000, id="float32, loose"),
    pytest.param(torch.float32, 1e-5, 15, 100, id="float32, narrow"),
    pytest.param(torch.float64, 1e-5, 10_000, 10**9, id="float64"),
    pytest.param(torch.float16, 1e-2, 150, 400, id="float16"),
    pytest.param(torch.bfloat16, 1e-2, 20, 50, id="bfloat16"),
]


@pytest.mark.parametrize(("dtype", "tolerance", "least", "most"), DTYPES)
def test_a_tensor_goes_as_far_as_tolerance_and_type_allow(dtype, tolerance, least, most):
    limit = Tolerance(max_atol=tolerance, max_rtol=tolerance)
    sides = set()
    for seed in range(8):
        generator = torch.Generator().manual_seed(seed)
        tensor = torch.randn(64, 64, generator=generator).to(dtype)
        push_away(tensor, generator, limit)
        middle = tensor.double().mean().item()
        assert least < abs(middle) < most
        assert 0.9 < tensor.double().std() < 1.2
        sides.add(middle > 0)
    assert sides == {True, False}


@pytest.mark.parametrize("shape", [(2, 64), (3, 64), (16, 64), (4, 5, 8)], ids=str)
def test_however_few_rows_there_are_both_ends_of_the_scale_are_among_them(shape):
    for seed in range(20):
        tensor = torch.ones(shape, dtype=torch.bfloat16)
        scale_rows(tensor, torch.Generator().manual_seed(seed))
        assert (tensor.min(), tensor.max()) == (2.0**-ROW_OCTAVES, 2.0**ROW_OCTAVES)


@pytest.mark.parametrize("shape", [(), (64,), (1, 64)], ids=str)
def test_a_single_row_is_scaled_to_either_end(shape):
    found = set()
    for seed in range(20):
        tensor = torch.ones(shape)
        scale_rows(tensor, torch.Generator().manual_seed(seed))
        found |= {tensor.min().item(), tensor.max().item()}
    assert found == {2.0**-ROW_OCTAVES, 2.0**ROW_OCTAVES}
