"""On a GPU: hidden shapes are drawn and judged, and both sides' outputs are compared there."""

from pathlib import Path

import pytest
import torch

from examples.team.plan import SOLUTIONS, read_plan
from guard import plugins
from guard.domain.decision import Policy
from guard.domain.problem import Tolerance
from guard.domain.solution import Solution
from guard.formats.sol_execbench import FORMAT
from guard.referee.agreement import disagreeing
from guard.referee.court import Court
from guard.referee.fingerprint import fingerprints
from guard.referee.neighbours import drawn
from guard.referee.reference import Reference
from guard.referee.rows import of_tensors
from guard.referee.verification import verify

pytestmark = pytest.mark.gpu

PROBLEMS = Path(__file__).parents[2] / "examples" / "problems"
FOLDERS = sorted(path for path in PROBLEMS.iterdir() if path.is_dir())
GPU_PLANS = ["attention_out_projection_residual", "gemm_bf16", "rmsnorm_residual"]


@pytest.fixture(scope="module")
def court():
    device = plugins.load("devices")["nvidia"]
    court = Court(device, device.found()[0], pin_cpu=-1)
    yield court
    court.close()


PLANS = {name: read_plan(SOLUTIONS / name) for name in GPU_PLANS}
MEANT = [
    pytest.param(name, candidate, id=f"{name} {candidate.file}")
    for name, plan in PLANS.items()
    for candidate in plan.candidates
    if candidate.expect in ("correct", "slow")
]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_the_bundled_problems_have_neighbours_here(court, folder):
    task = FORMAT.read(folder)
    found = drawn(court, task, Reference(task.definition))
    assert len(found.neighbours) == 3, found.given_up


@pytest.mark.parametrize(("name", "candidate"), MEANT)
def test_what_is_meant_to_be_right_is_right_on_hidden_shapes(court, name, candidate):
    read = FORMAT.read(PROBLEMS / name)
    task = read.model_copy(update={"workloads": read.workloads[:2]})
    given: Solution = FORMAT.solution(SOLUTIONS / name / candidate.file, task)
    changed = {
        "destination_passing_style": candidate.destination_passing_style,
        "entry_point": candidate.entry_point,
        "options": tuple(PLANS[name].options_of(candidate).split()),
    }
    for _ in range(2):
        found = verify(court, task, given.model_copy(update=changed), Policy())
        assert found.passed, [(j.workload, j.evaluation.log) for j in found.judgements]


def test_sides_are_compared_on_the_device():
    mine = [[torch.rand(100, device="cuda") + 1] for _ in range(3)]
    theirs = [[one.clone() for one in outputs] for outputs in mine]
    tolerance = Tolerance(max_atol=1e-3, max_rtol=1e-3, required_matched_ratio=1.0)
    assert disagreeing(of_tensors(mine), of_tensors(theirs), tolerance) == []
    theirs[2][0][7] += 0.5
    assert disagreeing(of_tensors(mine), of_tensors(theirs), tolerance) == [2]


def test_a_change_shows_in_a_fingerprint_taken_on_the_device():
    slots = [[torch.rand(33, device="cuda")] for _ in range(3)]
    before = fingerprints(of_tensors(slots), 5)
    slots[1][0][4] += 1
    assert (fingerprints(of_tensors(slots), 5) != before).tolist() == [False, True, False]
