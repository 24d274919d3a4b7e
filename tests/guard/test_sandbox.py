"""`guard.sandbox`: each wall holds or says why not. Walls are put up in processes of their own."""

import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.sandbox import Walls, closed_ancestors, grade, needed_paths
from tests.guard.alone import ROOT, alone

BASE = ("session", "limits", "no_new_privs", "seccomp")
SPACES = ("pid", "net", "ipc", "mount")
GRADES = [
    pytest.param((), 0, id="nothing"),
    pytest.param(("session", "limits", "seccomp", "uid"), 0, id="may gain privileges"),
    pytest.param(("session", "no_new_privs", "seccomp", "uid", *SPACES), 0, id="no limits"),
    pytest.param((*BASE[:3], "uid", *SPACES), 0, id="any system call"),
    pytest.param(BASE, 1, id="limits and filter alone"),
    pytest.param((*BASE, *SPACES), 1, id="namespaces without an identity"),
    pytest.param((*BASE, "uid"), 2, id="own uid"),
    pytest.param((*BASE, "landlock"), 2, id="landlock"),
    pytest.param((*BASE, "landlock", "pid", "net", "ipc"), 2, id="no mount namespace"),
    pytest.param((*BASE, "uid", *SPACES), 3, id="own uid in namespaces"),
    pytest.param((*BASE, "landlock", *SPACES, "scratch"), 3, id="landlock in namespaces"),
]


@pytest.mark.parametrize(("held", "expected"), GRADES)
def test_a_grade_counts_what_held(held, expected):
    assert grade(held) == expected


ALL = st.sets(st.sampled_from([*BASE, *SPACES, "uid", "landlock", "scratch", "shm", "proc"]))


@given(held=ALL, more=ALL)
def test_another_wall_never_lowers_the_grade(held, more):
    assert grade(held) <= grade(held | more)


def test_a_wall_that_falls_says_why():
    walls = Walls()
    assert walls.attempt("net", None)
    assert not walls.attempt("pid", PermissionError(1, "Operation not permitted"))
    assert (walls.held, walls.why) == (["net"], {"pid": "Operation not permitted"})


def test_the_highest_closed_folder_above_a_path_is_found(tmp_path):
    tmp_path.chmod(0o755)
    for name, mode in (("open", 0o755), ("home", 0o700), ("listed", 0o744)):
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "inner").chmod(0o700)
        (tmp_path / name).chmod(mode)
    above = closed_ancestors([str(tmp_path)])
    paths = [str(tmp_path / name / "inner" / "file") for name in ("open", "home", "listed")]
    # A closed folder above all of them hides what lies below.
    expected = above or [
        str(tmp_path / "home"),
        str(tmp_path / "listed"),
        str(tmp_path / "open" / "inner"),
    ]
    assert closed_ancestors(paths) == expected


@pytest.mark.parametrize("path", ["/", "/usr", "/no/such/folder"])
def test_open_and_missing_folders_are_not_closed(path):
    assert closed_ancestors([path]) == []


def test_a_runner_needs_the_interpreter_and_this_package():
    paths = needed_paths()
    assert str(ROOT / "guard") in paths
    assert os.path.realpath(sys.prefix) in paths
    assert len(set(paths)) == len(paths)
    assert all(os.path.isabs(p) for p in paths)


LIMITS = """
limits(walls, memory_bytes=2**28, file_bytes=1000, processes=50)
try:
    bytearray(2**29)
    memory = "given"
except MemoryError:
    memory = "refused"
with open(sys.argv[1], "wb", buffering=0) as file:
    written = file.write(bytes(5000))
print(json.dumps([walls.held, memory, written, resource.getrlimit(resource.RLIMIT_CORE)]))
"""


def test_limits_hold_for_memory_files_and_dumps(tmp_path):
    assert alone(LIMITS, tmp_path / "file") == [["limits"], "refused", 1000, [0, 0]]


IDENTITY = """
identity(walls, 61_003, [])
print(json.dumps([os.geteuid(), os.getgroups(), walls.held, walls.why]))
"""


def test_the_own_user_id_is_for_good():
    uid, groups, held, why = alone(IDENTITY)
    assert "no_new_privs" in held
    if os.geteuid() == 0:
        assert (uid, groups, why) == (61_003, [], {})
        assert "uid" in held


def test_no_user_id_is_taken_that_could_not_reach_what_it_needs(tmp_path):
    tmp_path.chmod(0o700)
    script = "identity(walls, 61_003, sys.argv[1:])\nprint(json.dumps([walls.held, walls.why]))"
    held, why = alone(script, tmp_path)
    assert "uid" not in held
    if os.geteuid() == 0:
        assert "closed to other users" in why["uid"]


UNCOVER = """
secret, needed = sys.argv[1:]
namespaces(walls)
seen = None
if "mount" in walls.held:
    libc.call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    uncover([os.path.dirname(secret)], [needed, "/no/such/path"])
    seen = [os.path.exists(secret), open(needed + "/file").read()]
print(json.dumps(seen))
"""


def test_below_a_covered_folder_only_what_is_needed_is_left(tmp_path):
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "needed").mkdir()
    (tmp_path / "needed" / "file").write_text("needed")
    assert alone(UNCOVER, tmp_path / "secret", tmp_path / "needed") in ([False, "needed"], None)


# A kernel may offer user namespaces and yet refuse their maps, as Ubuntu's does to unconfined
# programs. A read-only /proc refuses them here.
NO_MAPS = """
if os.geteuid() == 0:
    libc.call("unshare", CLONE_NEWNS)
    libc.call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    # Bind mounts become read-only when mounted again.
    libc.call("mount", b"/proc", b"/proc", None, MS_BIND | MS_REC, None)
    libc.call("mount", b"none", b"/proc", None, MS_BIND | 32 | 1, None)
    os.setresuid(61_004, 61_004, 61_004)
namespaces(walls)
print(json.dumps([walls.held, walls.why]))
"""


def test_refused_user_maps_are_a_wall_that_fell():
    held, why = alone(NO_MAPS)
    assert set(held) | set(why) <= {"user", *SPACES}
    assert set(SPACES) <= set(held) | set(why)


# Without root the runner keeps its user id, so the id meant for it is not known in its namespace.
SCRATCH = """
import tempfile
if os.geteuid() == 0:
    os.setresuid(61_005, 61_005, 61_005)
    # A program started by that user would be dumpable and own its files below /proc.
    libc.call("prctl", 4, 1, 0, 0, 0)
namespaces(walls)
folder = tempfile.mkdtemp()
mounts(walls, scratch=folder, uid=61_000, size_bytes=2**20, readable=[])
print(json.dumps([walls.held, walls.why, os.access(folder, os.W_OK)]))
os.rmdir(folder) if "scratch" not in walls.held else None
"""


def test_the_scratch_folder_has_a_size_without_root_too():
    held, why, writable = alone(SCRATCH)
    assert writable
    if {"user", "mount"} <= set(held):
        assert "scratch" in held, why
