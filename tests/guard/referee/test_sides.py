"""`guard.referee.sides`: what a candidate wrote is checked, and what it claims is not believed."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
import torch

from guard.asks import Returned
from guard.devices.cpu import DEVICE
from guard.processes import HostTime
from guard.referee.inputs import InputClass
from guard.referee.reference import Reference
from guard.referee.runners import RunnerFailed
from guard.referee.sides import Side, WrongOutput, same_bits
from guard.referee.slots import Layout, Slots
from guard.verify import Finding
from tests.guard.trials import POLICY, problem, solution, workload

MS = 10**6


@dataclass
class Host:
    """A device whose scheduler counts what the test says."""

    after: HostTime | None = None

    def host_time(self, pid):
        return self.after

    def borrow(self, pid, returned):
        raise ValueError("nothing lies there")


def time(waited_ms, used_ms, *, alone=True):
    return HostTime(int(waited_ms * MS), int(used_ms * MS), alone=alone)


START = time(5, 50)
WAITS = [
    # waited and used after, expected ms of a block of 10 ms
    pytest.param(time(5, 59), 10, id="no waiting"),
    pytest.param(time(8, 56), 7, id="waiting is taken off"),
    pytest.param(time(14, 56), 6, id="never below the processor time used"),
    pytest.param(time(25, 51), 1, id="more waiting than the block took"),
    pytest.param(time(5, 90), 40, id="several threads used more than the time"),
    pytest.param(time(8, 56, alone=False), 10, id="one of several threads may wait for another"),
    pytest.param(time(8, 68, alone=False), 18, id="several threads worked on several cores"),
    pytest.param(None, 10, id="the host cannot tell"),
]


@pytest.mark.parametrize(("after", "expected_ms"), WAITS)
def test_waiting_for_the_host_is_taken_off(after, expected_ms):
    side = Side(Host(after), solution(), SimpleNamespace(pid=1), None)
    assert side.without_waiting(10 * MS, START) == expected_ms * MS


def test_nothing_is_taken_off_where_the_start_is_unknown():
    side = Side(Host(time(8, 56)), solution(), SimpleNamespace(pid=1), None)
    assert side.without_waiting(10 * MS, None) == 10 * MS


SAME = [
    pytest.param([1.0, 2.0], [1.0, 2.0], True, id="equal"),
    pytest.param([1.0, float("nan")], [1.0, float("nan")], True, id="NaN is itself"),
    pytest.param([0.0, 1.0], [-0.0, 1.0], False, id="another zero"),
    pytest.param([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], False, id="odd number of elements"),
    pytest.param([], [], True, id="empty"),
]


@pytest.mark.parametrize(("a", "b", "expected"), SAME)
def test_inputs_are_compared_bit_by_bit(a, b, expected):
    assert same_bits(torch.tensor(a), torch.tensor(b)) is expected


def unbound(returns, device=DEVICE):
    """A side with slots, whose runner is never asked."""
    task = problem(workload())
    layout = Layout.of(task.definition, task.cpu_workloads[0])
    arena = DEVICE.allocate(DEVICE.found()[0], 2 * layout.slot_bytes)
    side = Side(device, solution(returns=returns), SimpleNamespace(pid=0), arena)
    side.slots = Slots(layout, arena, 2, Reference(task.definition), "")
    side.slots.refresh(range(2), 5)
    arena.close()
    return side


Y = {"shape": (16, 64), "strides": (64, 1), "dtype": "float32", "address": 4096}
CLAIMS = [
    pytest.param([], "REWARD_HACK", "did not say", id="nothing"),
    pytest.param([(), ()], "REWARD_HACK", "did not say", id="for too many slots"),
    pytest.param([()], "INCORRECT_SHAPE", "0 outputs", id="no output"),
    pytest.param([({**Y, "shape": (64, 16)},)], "INCORRECT_SHAPE", "[64, 16]", id="shape"),
    pytest.param([({**Y, "dtype": "int32"},)], "INCORRECT_DTYPE", "int32", id="dtype"),
    pytest.param([({**Y, "dtype": "no_dtype"},)], "INCORRECT_DTYPE", "no_dtype", id="no dtype"),
    pytest.param([({**Y, "dtype": "nn"},)], "INCORRECT_DTYPE", "nn", id="a module of torch"),
    pytest.param([(Y,)], "RUNTIME_ERROR", "cannot be read", id="nothing there"),
]


@pytest.mark.parametrize(("claims", "status", "message"), CLAIMS)
def test_a_claim_about_returned_tensors_is_checked(claims, status, message):
    side = unbound(True, Host())
    returned = [tuple(map(Returned.model_validate, outputs)) for outputs in claims]
    with pytest.raises(RunnerFailed) as caught:
        side.found_at([0], returned)
    assert caught.value.status == status
    assert message in caught.value.message


def test_poison_is_counted_until_it_is_overwritten():
    side = unbound(False)
    side.poison([0, 1])
    assert side.unwritten([0, 1]) == 2 * 16 * 64
    (output,) = side.outputs(0)
    output[:4] = 1.0
    assert side.unwritten([0]) == 12 * 64
    output.fill_(float("nan"))
    assert side.unwritten([0, 1]) == 16 * 64


def test_poison_is_never_the_same_twice():
    side = unbound(False)
    side.poison([0])
    first = side.outputs(0)[0].clone()
    seen = set()
    for _ in range(8):
        side.poison([0])
        seen.add(same_bits(first, side.outputs(0)[0]))
    assert False in seen


def test_every_element_is_compared():
    side = unbound(False)
    right = side.right(0, Reference(side.slots.layout.definition))
    side.poison([0])
    (output,) = side.outputs(0)
    output.copy_(right.tensors[0])
    side.check(0, right, "a call")
    assert len(side.comparisons) == 1
    output[15, 63] += 1.0
    with pytest.raises(WrongOutput) as caught:
        side.check(0, right, "a call")
    assert caught.value.outcome.finding is Finding.TOO_FAR
    assert len(side.comparisons) == 1


def test_a_plain_call_is_made_on_every_input_class(court):
    task = problem()
    layout = Layout.of(task.definition, task.cpu_workloads[0])
    reference = Reference(task.definition)
    with court.runner(POLICY) as runner:
        court.load(solution(), POLICY, runner)
        arena = DEVICE.allocate(court.identity, 2 * layout.slot_bytes)
        side = Side(court.device, solution(), runner, arena)
        side.attach(30)
        runner.ask(side.lay(layout, 2, reference, task, 30, seed=1), 30)
        called = [side.plain_call(i % 2, reference, POLICY, c) for i, c in enumerate(InputClass)]
        arena.close()
    assert called[0] is True
    assert len(side.comparisons) == sum(called)


SKIPS_ZEROS = """
import torch


def run(x, y):
    if (x == 0).any():
        return
    torch.softmax(x, dim=1, out=y)
"""
FORGETS = """
import torch
seen = []


def run(x, y):
    seen.append(1)
    if len(seen) == 1:
        torch.softmax(x, dim=1, out=y)
"""
UNWRITTEN = [
    pytest.param(FORGETS, [InputClass.LISTED] * 2, RunnerFailed, id="as usual inputs as before"),
    pytest.param(
        SKIPS_ZEROS, [InputClass.LISTED, InputClass.SPARSE], WrongOutput, id="it mistakes zeros"
    ),
]


@pytest.mark.parametrize(("source", "given", "expected"), UNWRITTEN)
def test_only_who_was_right_on_such_inputs_before_is_convicted_of_writing_nothing(
    court, source, given, expected
):
    task = problem()
    layout, reference = (
        Layout.of(task.definition, task.cpu_workloads[0]),
        Reference(task.definition),
    )
    arena = DEVICE.allocate(court.identity, 2 * layout.slot_bytes)
    with court.runner(POLICY) as runner:
        court.load(solution(source), POLICY, runner)
        side = Side(DEVICE, solution(source), runner, arena)
        side.attach(30)
        runner.ask(side.lay(layout, 2, reference, task, 30, 1), 30)
        first, second = given
        assert side.plain_call(0, reference, POLICY, first)
        with pytest.raises(expected, match="not written"):
            side.plain_call(1, reference, POLICY, second)
    arena.close()
