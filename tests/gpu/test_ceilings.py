"""The ceilings of a GPU: all of them are measured, and the best kernels known stay below them."""

import pytest
import torch

from guard import plugins
from guard.bound import bound
from guard.domain.bound import Work
from guard.referee.ceilings import ceilings
from guard.referee.ceilings_nvidia import replayed_s

pytestmark = pytest.mark.gpu
SIZE = 2**30
EDGE = 4096


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    device = plugins.load("devices")["nvidia"]
    return ceilings(device, device.found()[0], tmp_path_factory.mktemp("ceilings"))


def test_a_gpu_has_every_ceiling(measured):
    assert set(measured.bytes_per_s) == {"read", "write", "copy", "cached copy"}
    assert {"float32", "float16", "bfloat16"} <= set(measured.matrix_flops_per_s)
    assert measured.matrix_flops_per_s["bfloat16"] > measured.matrix_flops_per_s["float32"]
    assert measured.bytes_per_s["cached copy"] > measured.bytes_per_s["copy"]
    assert measured.simple_ops_per_s > measured.special_ops_per_s > 0
    assert 0 < measured.node_ms < measured.launch_ms
    assert measured.cache_bytes > 0
    assert measured.cold


def reading():
    return torch.randn(SIZE // 4, device="cuda").sum


def copying():
    source = torch.randn(SIZE // 4, device="cuda")
    target = torch.empty_like(source)
    return lambda: torch.neg(source, out=target)


def multiplying():
    a, b = (torch.randn(EDGE, EDGE, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    out = torch.empty_like(a)
    return lambda: torch.mm(a, b, out=out)


HONEST = [
    pytest.param(reading, Work(read_bytes=SIZE, written_bytes=4, needs_bytes=True), id="read"),
    pytest.param(copying, Work(read_bytes=SIZE, written_bytes=SIZE, needs_bytes=True), id="copy"),
    pytest.param(
        multiplying,
        Work(
            read_bytes=4 * EDGE**2,
            written_bytes=2 * EDGE**2,
            matrix_flops={"bfloat16": 2 * EDGE**3},
            needs_flops=True,
        ),
        id="product",
    ),
]


@pytest.mark.parametrize(("kernel", "work"), HONEST)
def test_a_good_kernel_is_near_the_bound_and_never_below_its_limit(measured, kernel, work):
    known = bound(work, measured)
    assert known is not None
    took_ms = replayed_s(kernel(), 4) * 1e3
    assert known.limit_ms < took_ms < 2 * known.bound_ms
