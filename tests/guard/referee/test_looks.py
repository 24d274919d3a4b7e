"""What kernels of the referee's own must be, where no GPU runs them; `tests/gpu` runs them."""

import pytest
import torch
from cuda import core

from guard.referee import looks


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_every_kernel_that_is_asked_for_is_in_the_file(architecture):
    options = core.ProgramOptions(arch=architecture, std="c++17", no_cache=True)
    code = core.Program(looks.SOURCE.read_text(), "c++", options).compile("cubin")
    assert all(f"\0{name}\0".encode() in bytes(code.code) for name in looks.NAMES)


def test_on_a_cpu_torch_looks():
    matrix = torch.zeros(2, 3)
    assert looks.left(matrix, 0) is None
    assert looks.differing(matrix, matrix) is None
