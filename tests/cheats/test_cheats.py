"""Hostile solutions, one a file, judged by the real court on the CPU."""

import math
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import psutil
import pytest

from guard.domain.decision import Verdict
from guard.gate import decide
from guard.referee.duel import duel
from guard.referee.verification import MAX_LOG, verify
from tests.guard.duels import verification
from tests.guard.trials import POLICY, duel_order, problem, solution

FOLDER = Path(__file__).parent / "cpu" / "hostile"
HASTY = POLICY.model_copy(update={"first_call_limit_s": 1.5, "call_limit_s": 1.5})
# More turns: each of the two orders of the blocks is all but certain to come up.
MANY_TURNS = POLICY.model_copy(update={"turns": 6})
SECRET = "kernelarc-test-secret"


def cheat(name, *, returns=False, told=""):
    other = {"told": told} if told else {}
    return solution((FOLDER / f"{name}.py").read_text(), returns=returns, **other)


def judged(court, name, *, policy=POLICY, **options):
    found = verify(court, problem(), cheat(name, **options), policy)
    (judgement,) = found.judgements
    return judgement.evaluation


def walls(court):
    with court.runner(POLICY) as runner:
        return set(runner.held)


def zygote(court):
    walls(court)
    (found,) = [p for p in psutil.Process().children() if "guard.runner.zygote" in p.cmdline()]
    return found


PASSED, WRONG = "PASSED", "INCORRECT_NUMERICAL"
ERROR, HACK, LATE = "RUNTIME_ERROR", "REWARD_HACK", "TIMEOUT"
SHAPE, DTYPE = "INCORRECT_SHAPE", "INCORRECT_DTYPE"
CASES = [
    # file, status, evidence in the log
    pytest.param("honest", PASSED, "within tolerance", id="honest control"),
    pytest.param("wrong_numbers", WRONG, "further off", id="wrong control"),
    pytest.param("answers_the_first_call_again", HACK, "the call before", id="stale answer"),
    pytest.param("writes_half", WRONG, "512 of 1,024 elements were not written", id="partial"),
    pytest.param("writes_only_the_first_call", HACK, "left outputs unwritten", id="partial later"),
    pytest.param("writes_late", HACK, "after it had said", id="background thread"),
    pytest.param("changes_its_inputs", HACK, "input 'x' was changed", id="changes its inputs"),
    pytest.param("exits_at_import", ERROR, "exit code 0", id="exit at import"),
    pytest.param("exits_in_a_call", ERROR, "exit code 0", id="exit in a call"),
    pytest.param("segfaults", ERROR, "SIGSEGV", id="segfault"),
    pytest.param("raises", ERROR, "KeyError: 'no such row'", id="raises"),
    pytest.param("prints_50_mb", PASSED, "the end", id="50 MB of output"),
    pytest.param("babbles", HACK, "tampered", id="noise among its messages"),
    pytest.param("allocates_64_gib", ERROR, "memory", id="64 GiB"),
    pytest.param("breaks_when_kept", PASSED, "within tolerance", id="fails when kept"),
]


@pytest.mark.parametrize(("name", "status", "evidence"), CASES)
def test_a_cheat_is_called_what_it_is(court, name, status, evidence):
    evaluation = judged(court, name)
    assert evaluation.status == status, evaluation.log
    assert re.search(re.escape(evidence), evaluation.log)


RETURNED = [
    pytest.param("returns_another_shape", SHAPE, "[15, 64], not [16, 64]", id="shape"),
    pytest.param("returns_another_type", DTYPE, "float64, not float32", id="dtype"),
    pytest.param("returns_two_outputs", SHAPE, "2 outputs", id="number"),
    pytest.param("returns_no_tensor", ERROR, "not a plain tensor", id="no tensor"),
    pytest.param("returns_its_input", WRONG, "further off", id="its input"),
    pytest.param("points_into_nothing", ERROR, "cannot be read", id="unmapped address"),
    pytest.param("lies_about_its_tensors", ERROR, "cannot be read", id="endless strides"),
    pytest.param("answers_for_itself", HACK, "", id="another kind of answer"),
]


@pytest.mark.parametrize(("name", "status", "evidence"), RETURNED)
def test_a_false_return_is_called_what_it_is(court, name, status, evidence):
    evaluation = judged(court, name, returns=True)
    assert evaluation.status == status, evaluation.log
    assert evidence in evaluation.log


@pytest.mark.parametrize("name", ["loops_for_ever", "stops_itself"])
def test_a_call_without_end_is_ended(court, name):
    evaluation = judged(court, name, policy=HASTY)
    assert evaluation.status == LATE
    assert "1.5 s" in evaluation.log


def test_remembered_answers_are_never_right(court):
    assert judged(court, "remembers_by_pointer").status in (WRONG, HACK)


def test_what_is_printed_is_kept_short_and_plain(court):
    log = judged(court, "prints_50_mb").log
    assert len(log) <= MAX_LOG
    assert "\x1b" not in log
    assert "\x07" not in log


def test_the_scratch_folder_has_an_end(court):
    evaluation = judged(court, "fills_the_disk")
    if "scratch" in walls(court):
        assert evaluation.status == ERROR
        assert "No space left on device" in evaluation.log


def test_no_process_outlives_its_runner(court):
    parent = zygote(court)
    evaluation = judged(court, "outlives_its_parent")
    assert evaluation.status == PASSED, evaluation.log
    deadline = time.monotonic() + 10
    while parent.children(recursive=True) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert parent.children(recursive=True) == []
    assert [p for p in psutil.process_iter(["name"]) if p.info["name"] == "left-behind"] == []


def test_no_environment_of_another_process_is_read(court):
    program = [sys.executable, "-c", "input()"]
    environment = {**os.environ, "KERNELARC_TOKEN": SECRET}
    with subprocess.Popen(program, stdin=subprocess.PIPE, env=environment) as holder:
        try:
            told = f"SECRET = {SECRET!r}\n"
            evaluation = judged(court, "reads_other_environments", told=told)
        finally:
            holder.communicate(b"\n")
    if walls(court) & {"pid", "uid"}:
        assert evaluation.status == PASSED, evaluation.log


def test_no_file_below_a_closed_folder_is_read(court, tmp_path):
    tmp_path.chmod(0o700)
    private = tmp_path / "private"
    private.write_text("a secret")
    evaluation = judged(court, "reads_a_private_file", told=f"PRIVATE = {str(private)!r}\n")
    if walls(court) & {"uid", "landlock"}:
        assert evaluation.status == PASSED, evaluation.log


def test_no_network_is_reached(court):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        told = f"PORT = {listener.getsockname()[1]}\n"
        evaluation = judged(court, "uses_the_network", told=told)
    if "net" in walls(court):
        assert evaluation.status == PASSED, evaluation.log


def test_no_process_outside_can_be_signalled(court):
    told = f"PIDS = {[os.getpid(), zygote(court).pid]}\n"
    evaluation = judged(court, "kills_by_pid", told=told)
    if walls(court) & {"pid", "uid"}:
        assert evaluation.status == PASSED, evaluation.log


def test_a_candidate_cannot_replace_its_own_source(court):
    candidate = cheat("replaces_itself")
    verify(court, problem(), candidate, POLICY)
    assert court.build(candidate, POLICY).files["candidate.py"] == candidate.source.encode()


def gains(found):
    """Per process pair, the median of how much faster the candidate looks (log units)."""
    return [
        median(
            math.log(champion / max(candidate, 1e-9))
            for timing in pair.workloads
            for champion, candidate in zip(timing.champion_ms, timing.candidate_ms, strict=True)
        )
        for pair in found.pairs
    ]


def test_dawdling_in_the_short_block_gains_nothing(court):
    order = duel_order(cheat("dawdles_in_short_blocks"), pairs=3)
    found = duel(court, order)
    assert found.failures == ()
    # The short block is slowed by hundreds of calls: a believed slope would be negative.
    assert max(gains(found)) < math.log(2)
    decided = decide(verification("timed"), found, POLICY)
    assert decided.verdict is not Verdict.SUSPECT


@pytest.mark.parametrize("name", ["puts_work_off", "works_ahead"])
def test_work_shifted_to_another_block_is_found_or_gains_nothing(court, name):
    order = duel_order(cheat(name)).model_copy(update={"policy": MANY_TURNS})
    found = duel(court, order)
    if found.failures:
        assert found.failures[0].evaluation.status == HACK
    else:
        fastest = min(t for w in found.pairs[0].workloads for t in w.candidate_ms)
        assert fastest > median(t for w in found.pairs[0].workloads for t in w.champion_ms) / 5


def test_a_candidate_that_wakes_itself_is_refused(court):
    (failure,) = duel(court, duel_order(cheat("wakes_itself"))).failures
    assert failure.evaluation.status == HACK
    assert "stopped" in failure.evaluation.log


def test_time_that_a_child_works_is_charged(court):
    found = duel(court, duel_order(cheat("works_in_a_child")))
    if not found.failures:
        (timing,) = found.pairs[0].workloads
        # Each call's child uses 20 ms of processor time.
        assert min(timing.candidate_ms) > 15
