"""Weaker hosts than this one: a module is run as on one, and what it prints as JSON is read.

A default container leaves root without the right to make namespaces. A user on a host that refuses
user namespaces has none either, and shares its user id with its runners.
"""

import errno
import json
import os
import platform
import struct
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from guard import landlock, libc, sandbox
from guard.seccomp import ALLOW, EQUAL, FAIL, LOAD, NUMBER, RETURN, put_up
from guard.system_calls import number
from tests.guard.alone import ROOT

# The capabilities that Docker and Podman leave to root in a container, by number.
RIGHTS = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)
PR_CAPBSET_READ, PR_CAPBSET_DROP = 23, 24
USER = 61_900
AS_IT_IS, CONTAINER_HOST, CLOSED = "as it is", "a container", "a container with a closed home"
FREE_USER, USER_HOST = "a user with namespaces", "a user"
OLD_KERNEL = "a user on a kernel without Landlock"
HOSTS = (AS_IT_IS, CONTAINER_HOST, CLOSED, FREE_USER, USER_HOST, OLD_KERNEL)
if os.geteuid() != 0:
    HOSTS = (AS_IT_IS, USER_HOST, OLD_KERNEL)
USERS = (FREE_USER, USER_HOST, OLD_KERNEL)


def run_on(host: str, module: str, *arguments: str, secret: Mapping[str, str]) -> Any:
    """Run a module on such a host; `secret` is added to its environment."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.guard.hosts", host, module, *arguments],
        cwd=ROOT,
        env={**os.environ, **secret},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr + ran.stdout
    return json.loads(ran.stdout.splitlines()[-1])


def become(host: str) -> None:
    """Give up what such a host does not offer."""
    if host == AS_IT_IS:
        return
    if os.geteuid() == 0:
        if host != CLOSED:
            _open_homes()
        _drop(USER if host in USERS else 0)
    if host != FREE_USER:
        _refuse("unshare", *(["landlock_create_ruleset"] if host == OLD_KERNEL else []))


def _open_homes() -> None:
    libc.call("unshare", sandbox.CLONE_NEWNS)
    libc.call("mount", b"none", b"/", None, sandbox.MS_REC | sandbox.MS_PRIVATE, None)
    needed = [*sandbox.needed_paths(), str(ROOT)]
    sandbox.uncover(sandbox.closed_ancestors(needed), needed)


def _drop(uid: int) -> None:
    kept = () if uid else RIGHTS
    for right in range(64):
        if right not in kept and libc.tried("prctl", PR_CAPBSET_READ, right, 0, 0, 0) is None:
            libc.call("prctl", PR_CAPBSET_DROP, right, 0, 0, 0)
    if uid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    mask = sum(1 << right for right in kept)
    libc.call("capset", sandbox.CAPABILITIES_3, struct.pack("6I", mask, mask, 0, 0, 0, 0))


def _refuse(*names: str) -> None:
    numbers = {"landlock_create_ruleset": landlock.CREATE_RULESET}
    steps = [(LOAD, 0, 0, NUMBER)]
    for name in names:
        wanted = numbers.get(name) or number(name, platform.machine())
        steps += [(EQUAL, 0, 1, wanted), (RETURN, 0, 0, FAIL | errno.EPERM)]
    libc.call("prctl", sandbox.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    refused = put_up([*steps, (RETURN, 0, 0, ALLOW)])
    assert refused is None, refused


if __name__ == "__main__":
    become(sys.argv[1])
    os.execv(sys.executable, [sys.executable, "-m", *sys.argv[2:]])
