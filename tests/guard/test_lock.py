"""`guard.lock`: one process at a time, and a dead one never holds on."""

import os
import subprocess
import sys
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

from guard.domain.errors import DeviceBusy
from guard.lock import exclusive, own_number

ROOT = Path(__file__).resolve().parents[2]
HOLD = """
import sys
from pathlib import Path
from guard.lock import exclusive
with exclusive("cpu", wait_s=0, folder=Path(sys.argv[1])):
    print("held", flush=True)
    input()
"""


@contextmanager
def held_elsewhere(folder):
    command = [sys.executable, "-c", HOLD, str(folder)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as holder:
        assert holder.stdout.readline() == "held\n"
        try:
            yield holder
        finally:
            holder.kill()


def test_a_device_that_another_process_holds_is_busy(tmp_path):
    with (
        held_elsewhere(tmp_path),
        pytest.raises(DeviceBusy, match="cpu"),
        exclusive("cpu", wait_s=0.1, folder=tmp_path),
    ):
        raise AssertionError("two processes hold one device")


def test_the_death_of_its_holder_frees_a_device(tmp_path):
    with held_elsewhere(tmp_path) as holder:
        holder.kill()
        with exclusive("cpu", wait_s=30, folder=tmp_path):
            pass


def test_a_device_is_free_again_after_an_error(tmp_path):
    with pytest.raises(ValueError, match="inside"), exclusive("cpu", wait_s=0, folder=tmp_path):
        raise ValueError("inside")
    with exclusive("cpu", wait_s=0, folder=tmp_path):
        pass


def test_two_devices_do_not_wait_for_each_other(tmp_path):
    with (
        exclusive("GPU-1", wait_s=0, folder=tmp_path),
        exclusive("GPU-2", wait_s=0, folder=tmp_path),
    ):
        assert len(list(tmp_path.iterdir())) == 2


def test_a_name_never_leaves_the_folder(tmp_path):
    with exclusive("../../cuda:0/x", wait_s=0, folder=tmp_path):
        (file,) = tmp_path.iterdir()
    assert file.name == "kernelarc--cuda-0-x.lock"


def test_the_lock_is_not_inherited_by_a_program(tmp_path):
    with exclusive("cpu", wait_s=0, folder=tmp_path):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with child, exclusive("cpu", wait_s=0, folder=tmp_path):
        child.communicate(b"\n")


def ends_well(task, *, uid=0):
    """Run `task` in a child, as another user where that is possible."""
    with warnings.catch_warnings():
        # Newer Pythons warn of threads at a fork; the child only opens a file.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        code = 1
        try:
            if os.geteuid() == 0:
                os.setresuid(uid, uid, uid)
            # The usual mask: what one user makes, others may only read.
            os.umask(0o022)
            task()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_second_user_of_the_host_shares_the_lock():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o1777)

        def take():
            with exclusive("cpu", wait_s=0, folder=folder):
                pass

        assert ends_well(take, uid=61_001)
        assert ends_well(take, uid=61_002)


def test_everybody_has_a_number_of_their_own_while_there_are_some(tmp_path):
    held = [own_number("uids", 3, folder=tmp_path) for _ in range(4)]
    assert [number for number, _ in held] == [0, 1, 2, 2]
    os.close(held[1][1])
    number, descriptor = own_number("uids", 3, folder=tmp_path)
    assert number == 1
    for fd in (descriptor, *(fd for n, fd in held if n != 1)):
        os.close(fd)
