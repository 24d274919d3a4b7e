"""`guard.referee.impostors`: wrong answers that a good problem refuses and a loose one does not."""

import pytest

from guard.domain.problem import Workload
from guard.formats.sol_execbench import FORMAT
from guard.referee.impostors import BY_CONSTANTS, IMPOSTORS, ONE_PASS, probe
from guard.referee.reference import Reference
from tests.guard.trials import ROOT, linear, problem, workload

PROBLEMS = ROOT / "examples" / "problems"


def loosened(**tolerance) -> Workload:
    given = workload()
    return given.model_copy(update={"tolerance": given.tolerance.model_copy(update=tolerance)})


def probes(court, given: Workload, reference: str = ""):
    task = problem(given, reference=reference)
    return {p.impostor: p for p in probe(court, task, given, Reference(task.definition))}


def test_every_wrong_answer_is_refused_by_a_narrow_tolerance(court):
    found = probes(court, workload())
    assert set(found) == set(IMPOSTORS) - {ONE_PASS, BY_CONSTANTS}
    assert [name for name, one in found.items() if not one.refused] == []
    assert {one.workload for one in found.values()} == {"small"}


def test_a_tolerance_above_every_output_lets_nearly_all_pass(court):
    found = probes(court, loosened(max_atol=1.0))
    passing = {name for name, one in found.items() if not one.refused}
    assert passing == set(IMPOSTORS) - {
        "an input", "an unstable variant", ONE_PASS, BY_CONSTANTS,
    }  # fmt: skip


def test_a_tolerance_above_the_next_types_rounding_lets_the_coarse_one_pass(court):
    found = probes(court, loosened(max_rtol=0.05), "def run(x):\n    return x * 2.0\n")
    assert [n for n, one in found.items() if not one.refused] == ["one precision step below"]


REFERENCES = [
    pytest.param("torch.log_softmax(x, dim=1)", id="log softmax"),
    pytest.param("x - torch.logsumexp(x, dim=1, keepdim=True)", id="logarithm of a sum"),
    pytest.param("(x - x.amax(dim=1, keepdim=True)).exp().cumsum(1)", id="maximum by hand"),
]


@pytest.mark.parametrize("expression", REFERENCES)
def test_what_keeps_a_reference_stable_is_left_out(court, expression):
    source = f"import torch\n\n\ndef run(x):\n    return {expression}\n"
    # So wide that the reference itself is right on inputs large enough to tell.
    found = probes(court, loosened(max_atol=1e-3), source)
    assert found["an unstable variant"].refused


VARIANCES = [
    pytest.param("torch.nn.functional.layer_norm(x, (64,))", id="layer norm"),
    pytest.param("torch.nn.functional.batch_norm(x, None, None, training=True)", id="batch norm"),
    pytest.param(
        "torch.nn.functional.group_norm(x.reshape(1, 16, 64), 4).reshape(16, 64)", id="group norm"
    ),
    pytest.param("x.var(1, keepdim=True) + 0 * x", id="variance"),
    pytest.param("x.std(dim=1, keepdim=True) + 0 * x", id="deviation"),
    pytest.param("torch.var_mean(x, 1, keepdim=True)[0] + 0 * x", id="variance and mean"),
    pytest.param("torch.std_mean(x, dim=1, keepdim=True)[0] + 0 * x", id="deviation and mean"),
    pytest.param("(x - x.mean(1, keepdim=True)).pow(2).mean(1, keepdim=True) + 0 * x", id="power"),
    pytest.param("by_hand(x)", id="a product of names"),
]
BY_HAND = """
def by_hand(x):
    c = x - torch.mean(x, dim=-1, keepdim=True)
    return c * torch.rsqrt((c * c).sum(dim=-1, keepdim=True) / x.shape[-1] + 1e-5)
"""


@pytest.mark.parametrize("expression", VARIANCES)
def test_a_variance_in_one_pass_is_refused_far_from_zero(court, expression):
    source = f"import torch\n{BY_HAND}\ndef run(x):\n    return {expression}\n"
    found = probes(court, loosened(max_atol=1e-3, max_rtol=1e-3), source)
    assert "far inputs" in found[ONE_PASS].refused


def test_a_variance_in_one_pass_is_no_wrong_answer_where_tolerance_covers_it(court):
    source = "import torch\n\n\ndef run(x):\n    return x - x.mean() + 0.0 * x.var()\n"
    found = probes(court, loosened(max_atol=1e-3), source)
    assert found[ONE_PASS].refused == ""
    assert not found[ONE_PASS].required
    assert all(one.required for name, one in found.items() if name != ONE_PASS)


def test_a_root_mean_square_loses_nothing_in_one_pass(court):
    source = "import torch\n\n\ndef run(x):\n    return x * (x * x).mean(1, True).rsqrt()\n"
    assert ONE_PASS not in probes(court, loosened(max_atol=1e-4), source)


def test_an_impostor_that_does_not_exist_here_is_left_out(court):
    found = probes(court, workload(), "def run(x):\n    return x * 2.0 + 1.0\n")
    assert "an unstable variant" not in found
    assert found["zeros"].refused


def test_handing_an_input_through_passes_where_that_is_the_work(court):
    found = probes(court, workload(), "def run(x):\n    return x.clone()\n")
    assert not found["an input"].refused


def test_the_reference_is_itself_again_afterwards(court):
    import torch

    before = torch.softmax
    probes(court, workload())
    assert torch.softmax is before
    assert torch.get_default_dtype() is torch.float32
    x = torch.randn(2, 3)
    assert torch.equal(torch.softmax(x, 1), torch.nn.functional.softmax(x, 1))


@pytest.mark.parametrize("name", sorted(p.name for p in PROBLEMS.iterdir() if p.is_dir()))
def test_the_bundled_problems_are_admitted(court, name):
    task = FORMAT.read(PROBLEMS / name)
    reference = Reference(task.definition)
    for given in task.cpu_workloads:
        assert [p for p in probe(court, task, given, reference) if not p.refused] == []


def by_constants(court, reference: str) -> str:
    task = linear(reference)
    given = task.cpu_workloads[0]
    found = probe(court, task, given, Reference(task.definition))
    return next(p.refused for p in found if p.impostor == BY_CONSTANTS)


def test_a_problem_whose_answer_hangs_on_its_constants_alone_is_found_out(court):
    source = "import torch\n\n\ndef run(x, weight, bias):\n    return {answer}\n"
    alone = "(bias + weight.sum(1)).expand(len(x), -1).clone()"
    assert by_constants(court, source.format(answer=alone)) == ""
    assert by_constants(court, "")
