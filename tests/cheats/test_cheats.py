"""Those hostile solutions of the corpus that need more than their header can say."""

import math
import os
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
from tests.guard.duels import QUIET, verification
from tests.guard.trials import POLICY, duel_order, problem, solution

FOLDER = Path(__file__).parent / "cpu" / "hostile"
# More turns: each of the two orders of the blocks is all but certain to come up.
MANY_TURNS = POLICY.model_copy(update={"turns": 6})
SECRET = "kernelarc-test-secret"


def cheat(name, *, told=""):
    other = {"told": told} if told else {}
    return solution((FOLDER / f"{name}.py").read_text(), **other)


def judged(court, name, **options):
    found = verify(court, problem(), cheat(name, **options), POLICY)
    (judgement,) = found.judgements
    return judgement.evaluation


def walls(court):
    with court.runner(POLICY) as runner:
        return set(runner.held)


def zygote(court):
    walls(court)
    (found,) = [p for p in psutil.Process().children() if "guard.runner.zygote" in p.cmdline()]
    return found


PASSED, ERROR, HACK = "PASSED", "RUNTIME_ERROR", "REWARD_HACK"


def test_what_is_printed_is_kept_short_and_plain(court):
    evaluation = judged(court, "prints_50_mb")
    log = evaluation.log
    assert evaluation.status == PASSED
    assert "within tolerance" in log
    assert "the end" in log
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
    decided = decide(verification("timed"), found, POLICY, QUIET)
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


def test_time_that_a_child_works_is_charged(court):
    found = duel(court, duel_order(cheat("works_in_a_child")))
    if not found.failures:
        (timing,) = found.pairs[0].workloads
        # Each call's child uses 20 ms of processor time.
        assert min(timing.candidate_ms) > 15
