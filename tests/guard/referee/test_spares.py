"""`guard.referee.spares` and `supply`: ready before they are needed, used once, replaced."""

import json
import os
import threading
import time
from pathlib import Path

import psutil
import pytest

from guard import plugins
from guard.asks import LoadAsk
from guard.referee.canary import canary
from guard.referee.court import Court
from guard.referee.spares import SPARES
from guard.wire import FileEntry
from tests.guard.trials import POLICY, solution

LIMIT_S = 60
LAST_CORE = max(os.sched_getaffinity(0))
LIMITS = (
    "import json, os, resource\n"
    "pages = int(open('/proc/self/statm').read().split()[0])\n"
    "soft, hard = resource.getrlimit(resource.RLIMIT_AS)\n"
    "print(json.dumps([soft == hard, soft - pages * resource.getpagesize()]), flush=True)\n"
    "def run(): pass\n"
)


@pytest.fixture(scope="module")
def supplied():
    """A court of its own that keeps spares, for one kind of limits."""
    device = plugins.load("devices")["cpu"]
    made = Court(device, device.found()[0], pin_cpu=-1, building=(LAST_CORE,))
    made.supply.keep_spares(SPARES)
    # The first to be taken tells which limits are wanted.
    with made.runner(POLICY):
        pass
    yield made
    made.close()


def full(court):
    """The spares, once there are as many as there should be."""
    deadline = time.monotonic() + LIMIT_S
    while len(court.supply.spares()) < SPARES and time.monotonic() < deadline:
        time.sleep(0.01)
    return court.supply.spares()


def printed(runner, source):
    data = source.encode()
    files = (FileEntry(path="candidate.py", size_bytes=len(data)),)
    runner.ask(LoadAsk(device="cpu", solution=solution(source), files=files), 30, data)
    return runner.output()


def test_each_is_used_once_and_replaced(supplied):
    ready = full(supplied)
    with supplied.runner(POLICY) as first, supplied.runner(POLICY) as second:
        assert [first, second] == list(ready[:2])
        assert len({runner.pid for runner in ready}) == SPARES
    assert not {first, second} & set(full(supplied))
    assert not psutil.pid_exists(first.pid)


def test_where_none_is_left_one_is_made_on_the_spot(supplied):
    ready = full(supplied)
    with supplied.quiet.kept():
        taken = [supplied.supply.ready(POLICY) for _ in range(SPARES + 1)]
        assert taken[:-1] == list(ready)
        # Nothing is made ready beside what is timed.
        assert supplied.supply.spares() == ()
        for runner in taken:
            supplied.supply.end(runner)
    assert len(full(supplied)) == SPARES


def test_one_that_was_killed_from_outside_is_replaced(supplied):
    killed = full(supplied)[0]
    os.kill(killed.pid, 9)
    deadline = time.monotonic() + LIMIT_S
    while killed in supplied.supply.spares() and time.monotonic() < deadline:
        time.sleep(0.01)
    replaced = full(supplied)
    assert killed not in replaced
    assert killed.ended is not None
    with supplied.runner(POLICY) as runner:
        assert runner in replaced


def test_one_that_dies_beside_a_timing_is_handed_to_nobody(supplied):
    with supplied.quiet.kept():
        killed = full(supplied)[0]
        os.kill(killed.pid, 9)
        psutil.wait_procs([psutil.Process(killed.pid)] if psutil.pid_exists(killed.pid) else [])
        with supplied.runner(POLICY) as runner:
            assert runner is not killed
            assert printed(runner, "print('here', flush=True)\ndef run(): pass\n") == "here\n"


@pytest.mark.parametrize("shared_bytes", [0, 2**30], ids=["alone", "beside shared memory"])
def test_its_memory_is_limited_before_it_meets_a_candidate(supplied, shared_bytes):
    ready = full(supplied)
    with supplied.runner(POLICY, shared_bytes) as runner:
        assert runner in ready
        same, left_bytes = json.loads(printed(runner, LIMITS))
    assert same
    # Loading took a little of it.
    assert 0 <= POLICY.memory_bytes + shared_bytes - left_bytes < 2**27


def test_other_limits_than_before_are_met_by_other_runners(supplied):
    ready = full(supplied)
    other = POLICY.model_copy(update={"file_bytes": POLICY.file_bytes // 2})
    with supplied.runner(other) as runner:
        assert runner not in ready
    later = full(supplied)
    assert not set(later) & set(ready)
    with supplied.runner(other) as runner:
        assert runner in later
    with supplied.runner(POLICY):
        pass
    assert {psutil.pid_exists(r.pid) for r in ready} == {False}


def test_a_canary_and_whoever_asks_for_a_fresh_one_take_none(supplied):
    ready = full(supplied)
    assert canary(supplied) == ""
    with supplied.runner(POLICY, fresh=True) as runner:
        assert runner not in ready
    assert supplied.supply.spares() == ready


def test_builders_take_none(supplied):
    ready = full(supplied)
    assert supplied.build(solution(), POLICY).report.ok
    assert supplied.supply.spares() == ready


def test_what_reads_and_compiles_stays_on_its_cores(supplied):
    builder = supplied.supply.builder(POLICY)
    assert psutil.Process(builder.pid).cpu_affinity() == [LAST_CORE]
    supplied.supply.end(builder)
    assert supplied.clerk.notice(solution()).refusals == ()
    (clerk,) = [p for p in psutil.Process().children() if "guard.clerk" in p.cmdline()]
    assert clerk.cpu_affinity() == [LAST_CORE]
    supplied.clerk.close()


def test_a_spare_has_no_candidate_no_bait_and_no_memory_of_the_referee(supplied):
    spare = full(supplied)[0]
    assert spare.others() == []
    assert "memfd:slots" not in Path(f"/proc/{spare.pid}/maps").read_text()
    # Its standard streams and its socket.
    assert len(os.listdir(f"/proc/{spare.pid}/fd")) == 4


def test_nothing_is_left_after_the_end():
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
    device = plugins.load("devices")["cpu"]
    made = Court(device, device.found()[0], pin_cpu=-1)
    made.supply.keep_spares(SPARES)
    full(made)
    (zygote,) = {psutil.Process(r.pid).parent().parent() for r in made.supply.spares()}
    below = [zygote, *zygote.children(recursive=True)]
    assert len(below) >= 1 + 2 * SPARES
    made.close()
    assert psutil.wait_procs(below, timeout=LIMIT_S)[1] == []
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) <= descriptors


def test_the_end_does_not_wait_for_a_timing():
    device = plugins.load("devices")["cpu"]
    made = Court(device, device.found()[0], pin_cpu=-1)
    with made.quiet.kept():
        made.supply.keep_spares(SPARES)
        made.close()
    assert made.supply.spares() == ()
    made.supply._spares._thread.join(LIMIT_S)
    assert not made.supply._spares._thread.is_alive()
