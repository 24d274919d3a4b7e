"""`guard.devices.cpu`: shared slots, reading a runner's memory, and the host's own counting."""

import fcntl
import os
import subprocess
import sys
import time

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from guard.asks import Returned
from guard.devices.cpu import DEVICE

IDENTITY = DEVICE.found()[0]


def claim(tensor, **changed):
    address, handle = DEVICE.locate(tensor)
    fields = {
        "shape": tuple(tensor.shape),
        "strides": tuple(tensor.stride()),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "address": address,
        "handle": handle,
    }
    return Returned.model_validate(fields | changed)


def test_both_ends_of_an_arena_see_the_same_memory():
    ours = DEVICE.allocate(IDENTITY, 4096)
    theirs = DEVICE.attach(ours.handle(), [os.dup(ours.fds()[0])])
    ours.tensor(1024, (4,), "int64").copy_(torch.arange(4))
    assert theirs.tensor(1024, (4,), "int64").tolist() == [0, 1, 2, 3]
    theirs.tensor(1024, (4,), "int64").zero_()
    assert ours.tensor(1024, (4,), "int64").tolist() == [0] * 4
    theirs.close()
    ours.close()


def test_tensors_outlive_the_file_of_their_arena():
    arena = DEVICE.allocate(IDENTITY, 4096)
    tensor = arena.tensor(0, (8,), "float32")
    arena.close()
    tensor.fill_(1.0)
    assert tensor.sum() == 8


@pytest.mark.parametrize("size_bytes", [0, 4096, 2**20])
def test_no_end_can_cut_or_stretch_an_arena(size_bytes):
    # Touching what was cut away would end the referee by SIGBUS.
    arena = DEVICE.allocate(IDENTITY, 2 * 4096)
    (fd,) = arena.fds()
    with pytest.raises(PermissionError):
        os.ftruncate(fd, size_bytes)
    with pytest.raises(PermissionError):
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
    assert arena.tensor(4096, (4096,), "uint8").sum() == 0
    arena.close()


def test_a_tensor_beyond_its_arena_is_refused():
    arena = DEVICE.allocate(IDENTITY, 4096)
    with pytest.raises(ValueError, match="buffer"):
        arena.tensor(0, (2000,), "float32")
    arena.close()


VIEWS = [
    pytest.param(lambda t: t, id="contiguous"),
    pytest.param(lambda t: t.t(), id="transposed"),
    pytest.param(lambda t: t[1:, ::2], id="every other column"),
    pytest.param(lambda t: t[0:0], id="empty"),
    pytest.param(lambda t: t[2, 3], id="one element"),
    pytest.param(lambda t: t[:1].expand(5, 6), id="expanded"),
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool], ids=str)
@pytest.mark.parametrize("view", VIEWS)
def test_a_tensor_is_read_where_it_lies(view, dtype):
    tensor = view(torch.arange(24).reshape(4, 6).to(dtype))
    copy = DEVICE.borrow(os.getpid(), claim(tensor))
    assert torch.equal(copy, tensor)
    assert tensor.numel() == 0 or copy.data_ptr() != tensor.data_ptr()


LIES = [
    pytest.param({"address": 8}, id="an address nobody mapped"),
    pytest.param({"address": 2**63}, id="an address of the kernel"),
    pytest.param({"address": 2**200}, id="no address at all"),
    pytest.param({"strides": (-6, 1)}, id="backwards"),
    pytest.param({"strides": (1,)}, id="too few strides"),
    pytest.param({"strides": (2**40, 1)}, id="a terabyte apart"),
    pytest.param({"strides": (2**61, 1)}, id="beyond any size"),
    pytest.param({"strides": (2**300, 1)}, id="beyond any number"),
]


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_about_a_tensor_is_refused_without_taking_memory(lie):
    tensor = torch.zeros(4, 6)
    with pytest.raises(ValueError):
        DEVICE.borrow(os.getpid(), claim(tensor, **lie))


def test_a_process_that_has_ended_cannot_be_read():
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    with pytest.raises(ValueError):
        DEVICE.borrow(child.pid, claim(torch.zeros(4)))


@given(shape=st.lists(st.integers(0, 5), max_size=4))
def test_any_shape_is_read(shape):
    tensor = torch.rand(shape)
    assert torch.equal(DEVICE.borrow(os.getpid(), claim(tensor)), tensor)


def test_time_used_and_waited_is_counted_for_a_single_thread():
    program = "input()\nfor _ in range(10**6): pass\nprint('done', flush=True)\ninput()\n"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", program], **pipes) as child:
        before = DEVICE.host_time(child.pid)
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.readline()
        after = DEVICE.host_time(child.pid)
        child.communicate(b"\n")
    assert before.alone and after.alone
    assert after.used_ns > before.used_ns
    assert after.waited_ns >= before.waited_ns


def test_several_threads_are_told_from_one():
    program = (
        "import threading\nthreading.Thread(target=input, daemon=True).start()\n"
        "print('two', flush=True)\nthreading.Event().wait(60)\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", program], **pipes) as child:
        child.stdout.readline()
        time.sleep(0.05)
        found = DEVICE.host_time(child.pid)
        child.kill()
    assert not found.alone
    assert found.used_ns > 0


def test_slots_take_a_share_of_free_memory():
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < DEVICE.free_bytes(IDENTITY) < total / 2
