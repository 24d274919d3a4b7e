"""On a GPU: a torch binding, built either way, computes the same and can be recorded."""

from pathlib import Path

import pytest
import torch

from guard import torch_build
from guard.domain.solution import Solution, Source
from guard.languages.cuda_cpp import LANGUAGE
from tests.guard.languages.building import architecture

pytestmark = pytest.mark.gpu

SOURCE = Path(__file__).parents[2] / "benchmarks" / "sources" / "rmsnorm_binding.cu"
LIBRARIES = {
    torch_build.LIGHT: torch_build.LIGHT_LIBRARY,
    torch_build.FULL: torch_build.FULL_LIBRARY,
}
EPSILON = 1e-6


def rmsnorm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + EPSILON)
    return (wide * scale * weight.float()).bfloat16()


@pytest.mark.parametrize("way", torch_build.WAYS)
def test_a_binding_writes_its_output_also_when_it_is_recorded(way, tmp_path):
    content = SOURCE.read_text("utf-8")
    solution = Solution(
        definition="rmsnorm",
        language="cuda_cpp",
        sources=(Source(path=SOURCE.name, content=content),),
    )
    LANGUAGE.check(solution)
    (tmp_path / SOURCE.name).write_text(content)
    options = torch_build.Options()
    built = torch_build.build_so(way, [SOURCE.name], options, architecture(), tmp_path)
    assert list(built.files) == [LIBRARIES[way]], built.output
    runner = tmp_path / "runner"
    runner.mkdir()
    (runner / LIBRARIES[way]).write_bytes(built.files[LIBRARIES[way]])
    x = torch.randn(64, 4096, device="cuda", dtype=torch.bfloat16)
    weight = torch.randn(4096, device="cuda", dtype=torch.bfloat16)
    y = torch.full_like(x, float("nan"))
    names = ("x", "weight", "eps", "y")
    call = LANGUAGE.load(solution, runner).bind([x, weight, EPSILON], [y], {}, names)
    call()
    torch.testing.assert_close(y, rmsnorm(x, weight))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    x.normal_()
    y.fill_(float("nan"))
    graph.replay()
    torch.testing.assert_close(y, rmsnorm(x, weight))
