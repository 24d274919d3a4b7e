"""On a GPU: whole candidates are verified and timed, with IPC slots and recorded blocks."""

from pathlib import Path

import pytest

from guard import gate, plugins
from guard.domain.decision import Policy
from guard.formats.sol_execbench import FORMAT
from guard.referee.baseline import contenders
from guard.referee.court import Court
from guard.referee.duel import duel
from guard.referee.verification import verify
from guard.wire import DuelOrder

pytestmark = pytest.mark.gpu

EXAMPLES = Path(__file__).parents[2] / "examples"
NAME = "rmsnorm_residual"
QUICK = Policy(turns=2)

CANDIDATES = [
    pytest.param("memory/row_block.py", {"PASSED"}, id="honest Triton"),
    pytest.param("memory/row_ahead.py", {"PASSED"}, id="honest Triton, compiled ahead"),
    pytest.param("memory/vector_streaming.cu", {"PASSED"}, id="honest CUDA"),
    pytest.param("arch-native/cluster_row.cu", {"PASSED"}, id="a cluster that the kernel asks for"),
    pytest.param(
        "arch-native/bulk_copy_ring.cu", {"PASSED"}, id="48 KiB and more of shared memory"
    ),
    pytest.param("memory/pointer_cache.py", {"REWARD_HACK"}, id="remembers by pointer"),
    pytest.param("arch-native/leading_rows.cu", {"INCORRECT_NUMERICAL"}, id="first rows only"),
    pytest.param("reduction/no_epsilon.py", {"INCORRECT_NUMERICAL"}, id="forgets epsilon"),
    pytest.param("arch-native/shifted_vectors.cu", {"RUNTIME_ERROR"}, id="misaligned vectors"),
]


@pytest.fixture(scope="module")
def court():
    device = plugins.load("devices")["nvidia"]
    court = Court(device, device.found()[0], pin_cpu=-1)
    yield court
    court.close()


@pytest.fixture(scope="module")
def problem():
    read = FORMAT.read(EXAMPLES / "problems" / NAME)
    return read.model_copy(update={"workloads": read.workloads[:2]})


def candidate(path, problem):
    return FORMAT.solution(EXAMPLES / "solutions" / NAME / path, problem)


@pytest.mark.parametrize(("path", "statuses"), CANDIDATES)
def test_a_candidate_gets_the_status_it_deserves(court, problem, path, statuses):
    found = verify(court, problem, candidate(path, problem), Policy())
    told = [(j.evaluation.status, j.evaluation.log) for j in found.judgements]
    assert {status for status, _ in told} & statuses, told
    assert found.sealed is (candidate(path, problem).launch_plan is not None)


def test_a_sealed_candidate_is_timed_like_any_other(court, problem):
    order = DuelOrder(
        job="t",
        problem=problem,
        candidate=candidate("memory/row_ahead.py", problem),
        champion=candidate("memory/row_block.py", problem),
        policy=QUICK,
        pairs=1,
    )
    fought = duel(court, order)
    assert not fought.failures
    assert [t.mode for t in fought.pairs[0].workloads] == ["graph"] * len(problem.workloads)
    # The same kernel, but for a width that is known when it is compiled.
    assert gate.speedup(fought).estimate == pytest.approx(1.0, abs=0.25)


def test_a_duel_times_recorded_blocks_on_every_workload(court, problem):
    order = DuelOrder(
        job="t",
        problem=problem,
        candidate=candidate("memory/row_block.py", problem),
        champion=contenders(problem, passing=False)["baseline.py"],
        policy=QUICK,
        pairs=1,
    )
    fought = duel(court, order)
    timings = fought.pairs[0].workloads
    assert not fought.failures
    assert [t.mode for t in timings] == ["graph"] * len(problem.workloads)
    assert min(min(t.candidate_ms + t.champion_ms) for t in timings) > 0
    # One kernel against several: no noise hides a factor of two.
    assert gate.speedup(fought).estimate > 1.5


def test_returned_tensors_are_timed_where_they_lie(court, problem):
    eager = contenders(problem, passing=False)["eager"]
    order = DuelOrder(
        job="t", problem=problem, candidate=eager, champion=eager, policy=QUICK, pairs=1
    )
    fought = duel(court, order)
    assert not fought.failures
    assert gate.speedup(fought).estimate == pytest.approx(1.0, abs=0.2)
