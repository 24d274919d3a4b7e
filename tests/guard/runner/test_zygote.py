"""`guard.runner.zygote`: two processes per runner; after the keeper's last line all are gone."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from guard.asks import ANSWERS, KeepAsk, Spawn
from guard.wire import PeerGone, parse, receive, send

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def zygote(tmp_path_factory):
    """A zygote for a device nobody knows: it imports little."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "guard.runner.zygote", str(theirs.fileno()), "cpu"]
    process = subprocess.Popen(command, cwd=ROOT, pass_fds=(theirs.fileno(),))
    theirs.close()
    scratch = tmp_path_factory.mktemp("scratch")
    yield ours, process, str(scratch)
    ours.close()
    process.wait(30)


class Spawned:
    """A runner, seen from the zygote's client."""

    def __init__(self, zygote):
        control, self.zygote, scratch = zygote
        self.sock, theirs = socket.socketpair()
        self.status, writing = os.pipe()
        self.output = os.memfd_create("output")
        order = Spawn(
            scratch=scratch,
            uid=61_000,
            memory_bytes=0,
            file_bytes=2**20,
            processes=64,
            cpus=(),
            readable=(),
        )
        send(control, order, fds=(theirs.fileno(), writing, self.output))
        theirs.close()
        os.close(writing)
        self.pid = json.loads(receive(control, 60)[0])["pid"]
        self.ready = parse(ANSWERS, receive(self.sock, 60)[0])

    def last_line(self):
        with os.fdopen(os.dup(self.status), "rb") as pipe:
            return json.loads(pipe.read())

    def close(self):
        self.sock.close()
        os.close(self.status)
        os.close(self.output)


@pytest.fixture
def spawned(zygote):
    made = Spawned(zygote)
    yield made
    made.close()


def test_a_runner_greets_and_answers(spawned):
    assert "session" in spawned.ready.held
    send(spawned.sock, KeepAsk())
    assert parse(ANSWERS, receive(spawned.sock, 30)[0]).type == "kept"


def test_a_runner_ends_when_its_referee_closes_the_socket(spawned):
    spawned.sock.shutdown(socket.SHUT_RDWR)
    assert spawned.last_line() == {"exit": 0, "orphans": 0}
    assert not psutil.pid_exists(spawned.pid)


def test_a_killed_runner_is_told_with_its_signal(spawned):
    os.kill(spawned.pid, 9)
    assert spawned.last_line()["exit"] == -9
    with pytest.raises(PeerGone):
        receive(spawned.sock, 30)


def test_a_stopped_runner_can_be_killed(spawned):
    os.kill(spawned.pid, 19)
    os.kill(spawned.pid, 9)
    assert spawned.last_line()["exit"] == -9


def test_between_zygote_and_runner_stands_a_keeper_that_ends_with_it(spawned):
    keeper = psutil.Process(spawned.pid).parent()
    assert keeper.ppid() == spawned.zygote.pid
    spawned.sock.shutdown(socket.SHUT_RDWR)
    spawned.last_line()
    assert psutil.wait_procs([keeper], timeout=30)[1] == []


def test_a_runner_dies_with_its_keeper(spawned):
    runner = psutil.Process(spawned.pid)
    runner.parent().kill()
    assert psutil.wait_procs([runner], timeout=30)[1] == []


def test_two_runners_are_two_trees(zygote):
    first, second = Spawned(zygote), Spawned(zygote)
    os.kill(first.pid, 9)
    assert first.last_line()["exit"] == -9
    send(second.sock, KeepAsk())
    assert receive(second.sock, 30)[0]
    for one in (first, second):
        one.close()


def test_runners_die_with_their_zygote(tmp_path):
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "guard.runner.zygote", str(theirs.fileno()), "cpu"]
    process = subprocess.Popen(command, cwd=ROOT, pass_fds=(theirs.fileno(),))
    theirs.close()
    spawned = Spawned((ours, process, str(tmp_path)))
    runner = psutil.Process(spawned.pid)
    process.kill()
    process.wait(30)
    assert psutil.wait_procs([runner], timeout=30)[1] == []
    spawned.close()
    ours.close()
