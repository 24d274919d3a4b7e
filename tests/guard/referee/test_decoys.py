"""Decoys: whoever takes one is convicted, and nobody else can be."""

import pytest
import torch

from guard.domain.problem import TensorSpec
from guard.referee.compare import same_bits
from guard.referee.decoys import MOST_BYTES, Decoy, falsified
from guard.referee.duel import sides
from guard.referee.reference import Reference
from guard.referee.runners import RunnerFailed
from guard.referee.slots import Layout
from guard.referee.verification import verify
from tests.guard.trials import HONEST, POLICY, problem, solution, workload

DTYPES = [
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn,
    torch.int64, torch.int32, torch.uint8, torch.bool,
]  # fmt: skip
EXPECTED = "from guard.runner.expected import expected\n\n\n"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("value", [0, 1])
def test_a_decoy_is_convicted_and_the_truth_is_not(dtype, value):
    right = torch.full((32, 16), value).to(dtype)
    decoy = Decoy((falsified(right),))
    decoy.check([right])
    with pytest.raises(RunnerFailed, match="left lying about") as caught:
        decoy.check([decoy.tensors[0].clone()])
    assert caught.value.status == "REWARD_HACK"


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_decoy_is_a_little_wrong(dtype):
    right = torch.rand(64, 64).to(dtype) + 1
    false = falsified(right)
    error = (false.double() - right.double()).abs().max()
    assert 0 < error < 0.05


def test_no_two_decoys_are_alike():
    right = torch.rand(64, 64)
    assert not same_bits(falsified(right), falsified(right))


def test_too_few_bits_convict_nobody():
    false = falsified(torch.rand(8))
    Decoy((false,)).check([false])


def test_where_there_is_no_decoy_nobody_is_convicted():
    Decoy().check([torch.rand(64, 64)])


def test_an_output_that_is_large_has_no_decoy():
    right = [torch.empty(MOST_BYTES + 1, dtype=torch.uint8)]
    assert Decoy.planted(right, ("y",), None, 1.0).tensors == ()


HELD = EXPECTED + (
    "import torch\n\n\ndef run(x, y):\n    torch.softmax(x, dim=1, out=y)\n"
    "    held = expected['y']\n    assert held.shape == y.shape and held.dtype == y.dtype\n"
    "    assert ((held.sum(dim=1) - 1).abs() < 0.01).all()\n"
    "    assert not torch.allclose(held, y, rtol=1e-3)\n"
)


def test_a_runner_holds_a_plausible_answer_to_other_inputs(court):
    (judgement,) = verify(court, problem(), solution(HELD), POLICY).judgements
    assert judgement.evaluation.status == "PASSED", judgement.evaluation.log


def test_every_workload_has_a_decoy_of_its_own_shape(court):
    task = problem(workload("a", 16, 64), workload("b", 8, 128))
    found = verify(court, task, solution(HELD), POLICY).judgements
    assert [j.evaluation.status for j in found] == ["PASSED", "PASSED"]


FILES = (
    "import pathlib\nimport torch\nHERE = pathlib.Path(__file__).parent\n"
    "from guard.runner.expected import expected\n\n\ndef run(x, y):\n"
    "    torch.softmax(x, dim=1, out=y)\n"
    "    (held,) = (HERE / 'reference_outputs').iterdir()\n"
    "    assert held.read_bytes() == expected['y'].contiguous().numpy().tobytes()\n"
)


def test_the_decoy_lies_in_a_file_as_well(court):
    task = problem(workload("a", 16, 64), workload("b", 8, 128))
    found = verify(court, task, solution(FILES), POLICY).judgements
    assert [j.evaluation.status for j in found] == ["PASSED", "PASSED"]


def test_who_closed_its_folder_is_no_trouble(court):
    closes = "import os, pathlib\nos.chmod(pathlib.Path(__file__).parent, 0)\n" + HONEST
    (judgement,) = verify(court, problem(), solution(closes), POLICY).judgements
    assert judgement.evaluation.status == "PASSED", judgement.evaluation.log


def test_looking_at_a_decoy_convicts_nobody(court):
    looks = "import gc, os\nimport torch\nfound = [str(t)[:9] for t in gc.get_objects()]\n"
    looks += "told = dict(os.environ)\n\n\ndef run(x, y):\n    torch.softmax(x, dim=1, out=y)\n"
    (judgement,) = verify(court, problem(), solution(looks), POLICY).judgements
    assert judgement.evaluation.status == "PASSED", judgement.evaluation.log


def test_the_references_own_answer_is_never_taken_for_a_decoy(court):
    reference = Reference(problem().definition)
    for _ in range(50):
        arguments = [torch.randn(16, 64)]
        (right,) = reference.run(arguments, {"M": 16, "N": 64})
        Decoy((falsified(right),)).check([right])


GATHERED = """
import torch


def run(x, i):
    return x[i]


def draw(axes, device):
    rows = axes["M"]
    x = torch.randn(rows, axes["N"], device=device)
    return {"x": x, "i": torch.randint(0, rows, (rows,), device=device)}
"""


def test_what_an_earlier_workload_left_in_the_slots_is_no_input_of_the_reference(court):
    read = problem()
    index = TensorSpec(shape=("M",), dtype="int64")
    definition = read.definition.model_copy(
        update={
            "inputs": {**read.definition.inputs, "i": index},
            "reference": GATHERED,
            "custom_inputs_entrypoint": "draw",
        }
    )
    custom = {"x": {"type": "custom"}, "i": {"type": "custom"}}
    given = type(workload()).model_validate(workload().model_dump() | {"inputs": custom})
    task = read.model_copy(update={"definition": definition, "cpu_workloads": (given,)})
    source = solution("def run(x, i, y):\n    y.copy_(x[i])\n")
    with sides(court, (source,), task, POLICY) as (side,):
        left = side._arena.tensor(0, (side._arena.size_bytes,), "uint8")
        # As an index it lies far beyond every row.
        left.fill_(0x7F)
        layout = Layout.of(definition, given)
        side.lay(layout, 2, Reference(definition), task, POLICY.call_limit_s, 1)
        assert side._decoy.tensors[0].shape == (16, 64)
