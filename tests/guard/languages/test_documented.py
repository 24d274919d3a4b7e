"""What docs/languages.md shows of launch plans compiles, fits, and on a GPU does what it says."""

import pytest
import torch

from guard import plugins
from guard.domain.solution import Source
from guard.launch import lay_out
from tests.guard.languages.building import architecture, isolated
from tests.guard.languages.documented import examples

EXAMPLES = [pytest.param(*e, id=f"{e[0]}-{e[3].kernels[0].kernel}") for e in examples()]
every_example = pytest.mark.parametrize(("language", "path", "source", "plan"), EXAMPLES)
# Multiples of nothing, of 4, of a cluster's tile; less than a warp.
SIZES = (1, 5, 512, 1000, 1003, 100_000)


def test_every_feature_of_a_plan_is_shown():
    shown = [plan for _, _, _, plan in examples()]
    launches = [launch for plan in shown for launch in plan.kernels]
    for field in ("cluster", "cooperative", "triton"):
        assert any(getattr(launch, field) for launch in launches), field
    for field, default in (("when", "1"), ("shared_bytes", "0")):
        assert any(getattr(launch, field) != default for launch in launches), field
    assert any(plan.tensor_maps for plan in shown)
    assert any(getattr(w, "zero", False) for plan in shown for w in plan.workspaces.values())


@every_example
def test_an_example_compiles_for_hopper(make, tmp_path, language, path, source, plan):
    solution = make(language, sources=(Source(path=path, content=source),), launch_plan=plan)
    plugin = plugins.load("languages")[language]
    plugin.check(solution)
    with isolated():
        report = plugin.compile(solution, "sm_90a", tmp_path).report
    assert report.ok, report.messages


@every_example
@pytest.mark.parametrize("size", SIZES)
def test_an_example_fits_every_size(language, path, source, plan, size):
    layout = lay_out(plan, ("x", "y"), {"scale": 2.5}, {"N": size})
    assert layout.launches


@pytest.mark.gpu
@every_example
@pytest.mark.parametrize("size", SIZES)
def test_an_example_is_right_whenever_it_is_called(
    make, loaded, language, path, source, plan, size
):
    solution = make(language, sources=(Source(path=path, content=source),), launch_plan=plan)
    kernel = loaded(solution, architecture())
    x = torch.randn(size, device="cuda")
    y = torch.full_like(x, float("nan"))
    call = kernel.bind([x, 2.5], [y], {"N": size}, ("x", "scale", "y"))
    # More than once, and recorded: a workspace or a barrier may hold what the call before left.
    for _ in range(3):
        y.fill_(float("nan"))
        call()
        assert torch.equal(y, x * 2.5)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    for _ in range(2):
        x.normal_()
        y.fill_(float("nan"))
        graph.replay()
        assert torch.equal(y, x * 2.5)
