"""One process at a time per device: held, waited for, and free again when its holder dies."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from guard.domain.errors import DeviceBusy
from guard.lock import exclusive

HOLD = """
import pathlib, sys, time
from guard.lock import exclusive
with exclusive("cuda:0", wait_s=0, folder=pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_device_has_one_holder_and_is_free_afterwards(tmp_path: Path):
    with exclusive("cpu", wait_s=0, folder=tmp_path):
        with (
            pytest.raises(DeviceBusy, match="'cpu'"),
            exclusive("cpu", wait_s=0, folder=tmp_path),
        ):
            pass
        with exclusive("cuda:0", wait_s=0, folder=tmp_path):
            pass
    with exclusive("cpu", wait_s=0, folder=tmp_path):
        pass


def test_a_killed_holder_leaves_the_device_free(tmp_path: Path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(DeviceBusy), exclusive("cuda:0", wait_s=0, folder=tmp_path):
            pass
        holder.kill()
        holder.wait()
    with exclusive("cuda:0", wait_s=5, folder=tmp_path):
        pass


def test_a_lock_that_only_its_owner_may_write_can_be_held_by_others(tmp_path: Path):
    with exclusive("cpu", wait_s=0, folder=tmp_path):
        pass
    [made] = tmp_path.iterdir()
    assert stat.S_IMODE(made.stat().st_mode) & 0o022 == 0
    made.chmod(0o444)
    with exclusive("cpu", wait_s=0, folder=tmp_path):
        pass


def test_a_link_is_not_followed(tmp_path: Path):
    os.symlink(tmp_path / "elsewhere", tmp_path / "kernelarc-cpu.lock")
    with pytest.raises(OSError), exclusive("cpu", wait_s=0, folder=tmp_path):
        pass
    assert not (tmp_path / "elsewhere").exists()
