"""`guard.referee.runners`: a runner is held from outside, and how it ended is told."""

import json
import os
import select
import signal
import socket
import threading
import time
from pathlib import Path

import psutil
import pytest

from guard.asks import CallAsk, CompileAsk, Compiled, LoadAsk
from guard.domain.errors import RefereeLost
from guard.referee.runners import OUTPUT_TAIL_BYTES, Runner, RunnerFailed
from guard.sandbox import clean_environment
from guard.wire import FileEntry, encode
from tests.guard.alone import alone
from tests.guard.trials import POLICY, solution

COMPILE = CompileAsk(solution=solution(), architecture="any")


def load(runner, source, limit_s=30):
    """Load a source that may do anything at all."""
    data = source.encode()
    files = (FileEntry(path="candidate.py", size_bytes=len(data)),)
    ask = LoadAsk(device="cpu", solution=solution(source), files=files)
    return runner.ask(ask, limit_s, data)


def test_a_fresh_runner_tells_its_walls_and_answers(court):
    with court.runner(POLICY) as runner:
        assert {"session", "limits", "no_new_privs"} <= set(runner.held)
        assert not set(runner.held) & set(runner.fell)
        assert runner.grade >= 1
        answer, _ = runner.ask(COMPILE, 30, expect=Compiled)
        assert answer.report["ok"] is True


def test_a_runner_holds_nothing_but_its_own_descriptors(court):
    source = (
        "import os\nprint(sorted(map(int, os.listdir('/proc/self/fd'))), flush=True)\n"
        "def run(): pass\n"
    )
    with court.runner(POLICY) as runner:
        load(runner, source)
        # 4 is the listing itself.
        assert json.loads(runner.output()) == [0, 1, 2, 3, 4]


def test_a_runner_has_no_memory_that_its_limit_does_not_count_and_is_the_first_to_end(court):
    source = (
        "import ctypes, json, os\n"
        "try:\n    held = os.memfd_create('hoard')\nexcept PermissionError:\n    held = 0\n"
        "shared = ctypes.CDLL(None).shmget(0, 4096, 0o1600)\n"
        "adjusted = open('/proc/self/oom_score_adj').read()\n"
        "print(json.dumps([held, shared, int(adjusted)]), flush=True)\n"
        "def run(): pass\n"
    )
    with court.runner(POLICY) as runner:
        load(runner, source)
        assert json.loads(runner.output()) == [0, -1, 1000]


def test_a_runner_knows_nothing_of_the_houses_environment(court, monkeypatch):
    monkeypatch.setenv("KERNELARC_TOKEN", "secret")
    source = "import json, os\nprint(json.dumps(dict(os.environ)), flush=True)\ndef run(): pass\n"
    with court.runner(POLICY) as runner:
        load(runner, source)
        environment = json.loads(runner.output())
    assert not [k for k in environment if k.startswith("KERNELARC")]
    assert environment["HOME"] == environment["HOME"].rstrip("/") != os.environ.get("HOME")
    assert environment["OMP_NUM_THREADS"] == "1"


def test_the_zygote_is_given_no_token(monkeypatch):
    monkeypatch.setenv("KERNELARC_TOKEN", "secret")
    monkeypatch.setenv("KERNELARC_DATABASE", "sqlite:///secret")
    assert "secret" not in " ".join(clean_environment("/scratch").values())


def test_a_frozen_runner_stands_still_until_it_is_thawed(court):
    with court.runner(POLICY) as runner:
        runner.freeze()
        assert psutil.Process(runner.pid).status() == psutil.STATUS_STOPPED
        time.sleep(0.1)
        assert runner.stirred_ns() == 0
        runner.thaw()
        assert runner.ask(COMPILE, 30, expect=Compiled)[0].type == "compiled"


def test_work_while_it_is_to_stand_still_is_seen(court):
    with court.runner(POLICY) as runner:
        runner.freeze()
        os.kill(runner.pid, signal.SIGCONT)
        runner.put(encode(COMPILE))
        assert select.select([runner._sock], [], [], 30)[0]
        assert runner.stirred_ns() > 0


def test_a_runner_that_never_reads_blocks_nobody(court, monkeypatch):
    monkeypatch.setattr("guard.referee.runners.PUT_LIMIT_S", 1)
    with court.runner(POLICY) as runner:
        runner.freeze()
        with pytest.raises(RunnerFailed, match="did not read") as caught:
            runner.put(bytes(2**24))
        assert runner.ended is not None
    assert caught.value.status == "TIMEOUT"


def test_what_raises_is_told_with_its_place_in_the_source(court):
    with court.runner(POLICY) as runner, pytest.raises(RunnerFailed) as caught:
        load(runner, "def run():\n    pass\n\nraise ValueError('line four')\n")
    assert caught.value.status == "RUNTIME_ERROR"
    assert "ValueError: line four" in caught.value.message
    assert "candidate.py:4" in caught.value.message
    assert "/guard/" not in caught.value.message


def test_a_runner_survives_what_raises(court):
    with court.runner(POLICY) as runner:
        with pytest.raises(RunnerFailed, match="nothing is bound"):
            runner.ask(CallAsk(slot=0), 30)
        assert runner.ended is None
        assert runner.ask(COMPILE, 30, expect=Compiled)[0].type == "compiled"


def test_a_killed_runner_is_noticed_at_once(court):
    with court.runner(POLICY) as runner:
        threading.Timer(0.1, runner.kill).start()
        started = time.monotonic()
        with pytest.raises(RunnerFailed, match="SIGKILL"):
            load(runner, "import time\ntime.sleep(1000)\n", limit_s=300)
        assert time.monotonic() - started < 60


def test_nothing_can_be_asked_of_an_ended_runner(court):
    with court.runner(POLICY) as runner:
        runner.kill()
        with pytest.raises(RunnerFailed):
            runner.ask(COMPILE, 30, expect=Compiled)
        assert "signal 9" in runner.ended


def test_only_the_plain_tail_of_what_was_printed_is_kept(court):
    source = (
        "import sys\nprint('a' * 10_000)\nprint('\\x1b[2Jdone\\x00', flush=True)\n"
        "sys.stdout.buffer.write(b'\\xff')\nsys.stdout.flush()\n"
        "print('end', file=sys.stderr)\ndef run(): pass\n"
    )
    with court.runner(POLICY) as runner:
        load(runner, source)
        output = runner.output()
    assert len(output) <= OUTPUT_TAIL_BYTES
    assert "\ndone\n" in output
    assert "end\n" in output
    assert [c for c in output if not c.isprintable() and c != "\n"] == []


@pytest.fixture
def ending(tmp_path):
    """A runner whose process has ended, with this last line of its keeper."""
    opened = []

    def make(line, pid=2**22 + 1):
        ours, theirs = socket.socketpair()
        theirs.close()
        reading, writing = os.pipe()
        os.write(writing, line)
        os.close(writing)
        opened.extend([ours, reading])
        return Runner(ours, pid, reading, os.memfd_create("output"), str(tmp_path / "scratch"))

    yield make
    for one in opened:
        one.close() if isinstance(one, socket.socket) else os.close(one)


REAL_TIME = int(signal.SIGRTMIN) + 3
ENDS = [
    pytest.param(0, "ended by itself with exit code 0", id="exit 0"),
    pytest.param(3, "ended by itself with exit code 3", id="exit 3"),
    pytest.param(-9, "killed by signal 9 (SIGKILL)", id="killed"),
    pytest.param(-11, "killed by signal 11 (SIGSEGV)", id="segfault"),
    pytest.param(-REAL_TIME, f"killed by signal {REAL_TIME}", id="a signal without a name"),
]


@pytest.mark.parametrize(("code", "expected"), ENDS)
def test_how_it_ended_is_told(ending, code, expected):
    runner = ending(json.dumps({"exit": code, "orphans": 0}).encode())
    assert expected in runner.end(closed=True)
    assert runner.ended == runner.end()


def test_a_tree_that_does_not_go_away_is_the_houses_failure(ending):
    with pytest.raises(RefereeLost, match="process tree"):
        ending(b"").end(closed=True)


def test_a_lost_tree_leaves_no_descriptor_open(tmp_path):
    before = len(os.listdir("/proc/self/fd"))
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    theirs.close()
    os.close(writing)
    output = os.memfd_create("output")
    with pytest.raises(RefereeLost):
        Runner(ours, 2**22 + 1, reading, output, str(tmp_path / "scratch")).close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_new_zygote_is_started_where_the_old_one_ended(court):
    with court.runner(POLICY):
        pass
    (old,) = [p for p in psutil.Process().children() if "guard.runner.zygote" in p.cmdline()]
    old.kill()
    old.wait(30)
    with court.runner(POLICY) as runner:
        assert runner.ask(COMPILE, 30, expect=Compiled)[0].type == "compiled"


def test_every_runner_has_a_scratch_folder_of_its_own(court):
    source = (
        "import os, pathlib\nprint(os.listdir('.'))\npathlib.Path('left').write_text('x')\n"
        "def run(): pass\n"
    )
    for _ in range(2):
        with court.runner(POLICY) as runner:
            load(runner, source)
            assert "left" not in runner.output()
    assert list(Path(court.supply.zygote._scratch).glob("*/left")) == []


CLOSED = """
import tempfile
from guard.referee.leftovers import remove

if os.geteuid() == 0:
    # Root would be let in anywhere.
    os.setresuid(61_006, 61_006, 61_006)
outside, folder = tempfile.mkdtemp(), tempfile.mkdtemp()
os.chmod(outside, 0o750)
os.makedirs(folder + "/a/b/c")
os.symlink(outside, folder + "/a/link")
for closed in ("/a/b/c", "/a/b", "/a", ""):
    os.chmod(folder + closed, 0)
remove(folder)
print(json.dumps([os.path.exists(folder), os.stat(outside).st_mode & 0o777]))
os.rmdir(outside)
"""


def test_a_folder_that_a_dead_runner_closed_is_removed_all_the_same():
    assert alone(CLOSED) == [False, 0o750]
