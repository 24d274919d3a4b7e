"""No runner stops, slows, starves, re-pins or sees another, nor finds a secret: on any host."""

import os

import pytest

from tests.cheats.among_others import RETURNS, canary
from tests.guard.hosts import AS_IT_IS, HOSTS, OLD_KERNEL, USER, USERS, run_on

HOSTILE = (
    "library_call",
    RETURNS,
    "compiles_with_torch",
    "kills_by_pid",
    "has_others_signalled",
    "slows_its_neighbours",
    "repins_its_neighbours",
    "starves_its_neighbours",
    "reads_its_neighbours",
    "asks_a_service",
    "leaves_shared_memory",
    "outlives_its_judge",
    "searches_for_secrets",
)
SEEING = "sees_its_neighbours"
# Without Landlock, under the user's own id, files and processes lie open: grade 1.
OPEN_TO_THE_SAME_USER = {
    "slows_its_neighbours",
    "reads_its_neighbours",
    "searches_for_secrets",
    "leaves_shared_memory",
}
HARMLESS_BARE = {
    "library_call",
    RETURNS,
    "compiles_with_torch",
    "has_others_signalled",
    "leaves_shared_memory",
}
"""They say nothing themselves; what they did shows on the neighbours."""


@pytest.fixture(scope="module", params=HOSTS)
def found(request, tmp_path_factory):
    """What came of all of them on one host."""
    folder = tmp_path_factory.mktemp("house")
    if request.param in USERS and os.geteuid() == 0:
        os.chown(folder, USER, USER)
        for above in folder.parents[:2]:
            above.chmod(0o711)
    token = {"KERNELARC_TOKEN": canary()}
    refused = OPEN_TO_THE_SAME_USER if request.param == OLD_KERNEL else set()
    names = [name for name in (*HOSTILE, SEEING) if name not in refused]
    arguments = ("judged", str(folder), *names)
    told = run_on(request.param, "tests.cheats.among_others", *arguments, secret=token)
    return request.param, told


def test_every_trick_works_where_no_wall_stands(tmp_path):
    names = [name for name in (*HOSTILE, SEEING) if name not in HARMLESS_BARE]
    token = {"KERNELARC_TOKEN": canary()}
    module, arguments = "tests.cheats.among_others", ("bare", str(tmp_path), *names)
    told = run_on(AS_IT_IS, module, *arguments, secret=token)
    assert [name for name, works in told.items() if not works] == []


@pytest.mark.parametrize("name", HOSTILE)
def test_a_candidate_neither_harms_nor_sees_anything(found, name):
    host, told = found
    if host != OLD_KERNEL or name not in OPEN_TO_THE_SAME_USER:
        status, log = told["verdicts"][name]
        assert status == "PASSED", log


def test_the_neighbours_are_as_they_were(found):
    assert found[1]["after"] == found[1]["before"]


def test_nothing_is_left_behind(found):
    assert found[1]["left"] == []


def test_other_processes_are_not_even_in_view(found):
    if "proc" in found[1]["held"]:
        status, log = found[1]["verdicts"][SEEING]
        assert status == "PASSED", log


def test_every_host_reaches_what_it_can(found):
    host, told = found
    if host == OLD_KERNEL:
        assert told["grade"] == 1
    elif {"uid", "landlock"} & set(told["held"]):
        assert told["grade"] == (3 if {"pid", "net", "ipc", "mount"} <= set(told["held"]) else 2)
    if os.geteuid() == 0 and host != OLD_KERNEL:
        assert told["grade"] >= 2, told["fell"]
