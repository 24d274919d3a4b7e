"""`guard.landlock`: files, sockets and signals beyond the wall."""

import os
import socket
import subprocess

import pytest

from guard import landlock
from tests.guard.alone import alone

FILES = """
may, may_not, private, port = sys.argv[1:]
landlock.restrict(walls, readable=[], writable=[may])
answers = {
    "write": outcome(lambda: open(may + "/a", "w").close()),
    "write elsewhere": outcome(lambda: open(may_not + "/a", "w").close()),
    "read elsewhere": outcome(lambda: open(private).close()),
    "read the system": outcome(lambda: os.listdir("/usr")),
    "use a device": outcome(lambda: open("/dev/null", "w").close()),
    "leave shared memory": outcome(lambda: open(f"/dev/shm/{os.getpid()}", "w").close()),
    "name a thread": outcome(lambda: open("/proc/self/comm", "w").write("runner")),
    "connect": outcome(lambda: socket.create_connection(("127.0.0.1", int(port)), 5).close()),
    "held": walls.held,
}
print(json.dumps(answers))
"""


def test_only_what_it_was_told_is_left(tmp_path):
    may, may_not = tmp_path / "may", tmp_path / "may_not"
    may.mkdir()
    may_not.mkdir()
    private = may_not / "private"
    private.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        answers = alone(FILES, may, may_not, private, listener.getsockname()[1])
    for allowed in ("write", "read the system", "use a device", "name a thread"):
        assert answers[allowed] == "done"
    if "landlock" in answers["held"]:
        assert answers["write elsewhere"] == answers["read elsewhere"] == "PermissionError"
        assert answers["leave shared memory"] == "PermissionError"
        if landlock.version() >= landlock.TCP_SINCE:
            assert answers["connect"] == "PermissionError"


def test_single_files_can_be_named(tmp_path):
    (tmp_path / "file").write_text("readable")
    script = (
        "landlock.restrict(walls, readable=[sys.argv[1]], writable=[])\n"
        "print(json.dumps(open(sys.argv[1]).read()))"
    )
    assert alone(script, tmp_path / "file") == "readable"


OTHERS = """
other = int(sys.argv[1])
# With the right to observe performance, the kernel shows environments whatever else it denies.
sandbox._tried_rights(0)
landlock.restrict(walls, readable=[], writable=[])
child = subprocess.Popen(["sleep", "60"])
answers = {
    "signal": outcome(lambda: os.kill(other, 0)),
    "signal an own child": outcome(child.kill),
    "environment": outcome(lambda: open(f"/proc/{other}/environ").read()),
    "memory": outcome(lambda: open(f"/proc/{other}/mem", "rb").close()),
    "descriptors": outcome(lambda: os.listdir(f"/proc/{other}/fd/0")),
    "make it the first to be killed": outcome(
        lambda: open(f"/proc/{other}/oom_score_adj", "w").write("1000")
    ),
    "held": walls.held,
}
child.wait()
print(json.dumps(answers))
"""


def test_another_process_of_the_same_user_is_out_of_reach():
    with subprocess.Popen(["sleep", "60"]) as other:
        answers = alone(OTHERS, other.pid)
        other.kill()
    held = answers.pop("held")
    if "landlock" in held:
        assert answers.pop("signal an own child") == "done"
        signalled = answers.pop("signal")
        assert signalled == ("PermissionError" if "signals" in held else "done")
        assert set(answers.values()) == {"PermissionError"}


@pytest.mark.parametrize("folder", ["/run", "/opt", "/dev", "/tmp", "/root", "/home", "/var"])
def test_no_folder_is_open_where_secrets_may_lie(folder):
    assert folder not in landlock.READABLE


def test_a_kernel_without_it_is_told():
    script = """
# As a kernel without the call answers.
landlock.CREATE_RULESET = 10_000
landlock.restrict(walls, readable=[], writable=[])
print(json.dumps([walls.held, walls.why]))
"""
    assert alone(script) == [[], {"landlock": "not offered by this kernel"}]
    assert os.access("/", os.R_OK)
