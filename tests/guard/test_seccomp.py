"""`guard.seccomp`: the filter as a program, and as the kernel carries it out."""

import errno
import re
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard import seccomp, system_calls
from guard.seccomp import ALLOW, FAIL, KILL_PROCESS, program
from guard.system_calls import MACHINES, REFUSED, number
from tests.guard.alone import alone

OWN = 4321
EPERM, EACCES = FAIL | errno.EPERM, FAIL | errno.EACCES
LISTS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
LATEST = 500
"""Above every number that Linux has given out."""


def answer(steps, machine, call, *arguments, on=None):
    """What a program says to a call: classic BPF, carried out as the kernel's manual tells."""
    wanted = call if isinstance(call, int) else number(call, machine)
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack(
        "IIQ6Q", wanted, on or MACHINES[machine], 0, *(a & (2**64 - 1) for a in padded)
    )
    loaded, at = 0, 0
    while True:
        operation, if_true, if_false, operand = steps[at]
        at += 1
        match operation:
            case seccomp.LOAD:
                (loaded,) = struct.unpack_from("I", data, operand)
            case seccomp.AND:
                loaded &= operand
            case seccomp.EQUAL:
                at += if_true if loaded == operand else if_false
            case seccomp.AT_LEAST:
                at += if_true if loaded >= operand else if_false
            case seccomp.ANY_BIT:
                at += if_true if loaded & operand else if_false
            case seccomp.RETURN:
                return operand


both = pytest.mark.parametrize("machine", MACHINES)


@both
def test_what_reaches_beyond_the_runner_is_refused(machine):
    steps = program(machine)
    known = [name for name in REFUSED if number(name, machine) is not None]
    assert {answer(steps, machine, name) for name in known} == {EPERM}
    assert len(known) > 55


@both
@given(call=st.integers(0, LATEST))
def test_every_other_call_passes(machine, call):
    ruled = {number(name, machine) for name in system_calls._ALL}
    if call not in ruled:
        assert answer(program(machine, own_id=OWN, signals=False), machine, call) == ALLOW


@both
def test_calls_of_another_machine_are_the_end(machine):
    (other,) = set(MACHINES.values()) - {MACHINES[machine]}
    assert answer(program(machine), machine, 0, on=other) == KILL_PROCESS
    assert answer(program(machine), machine, seccomp.X32_BIT | 1) == EPERM


PLAIN = [
    # call, arguments, answer
    pytest.param("clone", (0x01200011,), ALLOW, id="fork"),
    pytest.param("clone", (0x003D0F00,), ALLOW, id="thread"),
    pytest.param("clone", (0x00020011,), EPERM, id="mount namespace"),
    pytest.param("clone", (0x10000011,), EPERM, id="user namespace"),
    pytest.param("clone3", (), FAIL | errno.ENOSYS, id="flags out of sight"),
    pytest.param("socket", (1, 1), ALLOW, id="unix stream"),
    pytest.param("socket", (1, 0x80002), EACCES, id="unix datagram"),
    pytest.param("socketpair", (1, 0x80001), ALLOW, id="unix pair"),
    pytest.param("socket", (2, 1), EACCES, id="internet"),
    pytest.param("socket", (10, 2), EACCES, id="internet 6"),
    pytest.param("socket", (16, 3), EACCES, id="netlink"),
    pytest.param("socket", (40, 1), EACCES, id="virtual machine"),
    pytest.param("connect", (3,), FAIL | errno.ECONNREFUSED, id="a service of the host"),
    pytest.param("prctl", (1, 0), EPERM, id="outlive the parent"),
    pytest.param("prctl", (15, 0), ALLOW, id="name a thread"),
    pytest.param("kill", (77, 9), ALLOW, id="signals are the kernel's matter"),
    pytest.param("sched_setaffinity", (77,), ALLOW, id="pins are the kernel's matter"),
    pytest.param("shmget", (), ALLOW, id="shared memory of its own"),
]


@both
@pytest.mark.parametrize(("call", "arguments", "expected"), PLAIN)
def test_arguments_decide(machine, call, arguments, expected):
    assert answer(program(machine), machine, call, *arguments) == expected


BESIDE_OTHERS = [
    pytest.param("sched_setaffinity", (0,), ALLOW, id="pin itself"),
    pytest.param("sched_setaffinity", (OWN,), ALLOW, id="pin itself by id"),
    pytest.param("sched_setaffinity", (77,), EPERM, id="pin another"),
    pytest.param("sched_setscheduler", (77,), EPERM, id="another's scheduler"),
    pytest.param("setpriority", (0, 0, 5), ALLOW, id="own priority"),
    pytest.param("setpriority", (0, 77, 5), EPERM, id="another's priority"),
    pytest.param("setpriority", (2, 0, 5), EPERM, id="the user's priority"),
    pytest.param("ioprio_set", (1, OWN), ALLOW, id="own disk priority"),
    pytest.param("ioprio_set", (3, 0), EPERM, id="the user's disk priority"),
    pytest.param("prlimit64", (0, 7, 0x7000_0000_0000), ALLOW, id="own limit"),
    pytest.param("prlimit64", (77, 7, 0x7000_0000_0000), EPERM, id="another's limit"),
    pytest.param("prlimit64", (77, 7, 0, 1), ALLOW, id="another's limit, read"),
    pytest.param("kill", (0, 15), ALLOW, id="signal its group"),
    pytest.param("kill", (OWN, 15), ALLOW, id="signal itself"),
    pytest.param("kill", (77, 15), EPERM, id="signal another"),
    pytest.param("kill", (-1, 15), EPERM, id="signal all"),
    pytest.param("tgkill", (OWN, OWN + 1, 6), ALLOW, id="signal an own thread"),
    pytest.param("tgkill", (77, 77, 6), EPERM, id="signal another's thread"),
    pytest.param("rt_sigqueueinfo", (OWN,), EPERM, id="queue a signal"),
    pytest.param("fcntl", (3, 8, 77), EPERM, id="have the kernel signal another"),
    pytest.param("fcntl", (3, 3), ALLOW, id="read flags"),
    pytest.param("ioctl", (3, 0x8901), EPERM, id="own a socket for another"),
    pytest.param("ioctl", (3, 0xC020462A), ALLOW, id="a driver's request"),
    pytest.param("shmget", (), EPERM, id="shared memory that outlives it"),
]


@both
@pytest.mark.parametrize(("call", "arguments", "expected"), BESIDE_OTHERS)
def test_beside_processes_of_the_same_user_only_own_ids_pass(machine, call, arguments, expected):
    steps = program(machine, own_id=OWN, signals=False, queues=False)
    assert answer(steps, machine, call, *arguments) == expected


@both
@pytest.mark.parametrize("call", system_calls.UNCOUNTED)
def test_memory_that_no_limit_counts_is_refused_where_there_is_one(machine, call):
    assert answer(program(machine), machine, call) == ALLOW
    assert answer(program(machine, limited=True), machine, call) == EPERM


@both
def test_numbers_are_those_of_the_system_headers(machine):
    if LISTS[machine].exists():
        text = LISTS[machine].read_text()
        told = {m[1]: int(m[2]) for m in re.finditer(r"__NR(?:3264)?_(\w+)\s+(\d+)", text)}
        ours = {name: number(name, machine) for name in system_calls._ALL}
        assert {n: told.get(n, v) for n, v in ours.items()} == ours


INSTALLED = """
libc.call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
seccomp.install(walls)
number = lambda name: seccomp.number(name, os.uname().machine)
other = int(sys.argv[1])
answers = {
    "namespace": outcome(lambda: libc.call("unshare", CLONE_NEWUSER)),
    "trace": outcome(lambda: libc.call("syscall", number("ptrace"), 16, other, 0, 0)),
    "handle": outcome(lambda: os.pidfd_open(other)),
    "ring": outcome(lambda: libc.call("syscall", number("io_uring_setup"), 1, bytes(120))),
    "network": outcome(lambda: socket.socket(socket.AF_INET)),
    "connect": outcome(lambda: socket.socket(socket.AF_UNIX).connect("/none")),
    "pin": outcome(lambda: os.sched_setaffinity(other, {0})),
    "slow": outcome(lambda: os.setpriority(os.PRIO_PROCESS, other, 19)),
    "limit": outcome(lambda: resource.prlimit(other, resource.RLIMIT_CPU, (1, 1))),
    "signal": outcome(lambda: os.kill(other, 0)),
}
pair = socket.socketpair()
pair[0].send(b"x")
ran = subprocess.run(["sh", "-c", "echo from a child"], capture_output=True).stdout.decode()
print(json.dumps([walls.held, walls.why, answers, pair[1].recv(1).decode(), ran.strip()]))
"""


def test_the_kernel_refuses_beside_others_and_programs_still_run():
    with subprocess.Popen(["sleep", "60"]) as other:
        held, why, answers, received, child = alone(INSTALLED, other.pid)
        other.kill()
    assert (held, why) == (["seccomp"], {})
    assert answers.pop("connect") == "ConnectionRefusedError"
    assert set(answers.values()) == {"PermissionError"}
    assert (received, child) == ("x", "from a child")


def test_a_host_that_forbids_filters_is_told():
    script = """
# Without privileges a filter needs `no_new_privs`, which was not set here.
if os.geteuid() == 0:
    libc.call("capset", sandbox.CAPABILITIES_3, bytes(24))
seccomp.install(walls)
print(json.dumps([walls.held, list(walls.why)]))
"""
    assert alone(script) == [[], ["seccomp"]]


def test_a_machine_without_a_filter_is_told():
    script = """
seccomp.platform.machine = lambda: "riscv64"
seccomp.install(walls)
print(json.dumps([walls.held, walls.why]))
"""
    assert alone(script) == [[], {"seccomp": "no filter is written for riscv64"}]
