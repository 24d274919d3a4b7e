"""Every device plug-in keeps the contract of `guard.ports.Device`, whether or not it is here."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from guard import plugins
from guard.ports import Device, DeviceIdentity

ROOT = Path(__file__).resolve().parents[3]
DEVICES = dict(plugins.load("devices"))
HERE = [name for name, device in DEVICES.items() if device.unavailable() is None]
METHODS = [n for n, m in vars(Device).items() if inspect.isfunction(m) and not n.startswith("_")]

every = pytest.mark.parametrize("name", DEVICES)
present = pytest.mark.parametrize("name", HERE)


@every
def test_a_plug_in_is_named_like_its_module(name):
    assert DEVICES[name].name == name == type(DEVICES[name]).__module__.rpartition(".")[2]
    assert isinstance(DEVICES[name].records, bool)
    assert isinstance(DEVICES[name].spins, bool)


@every
@pytest.mark.parametrize("method", METHODS)
def test_a_plug_in_takes_what_the_contract_gives(name, method):
    promised = inspect.signature(getattr(Device, method)).parameters
    offered = inspect.signature(getattr(DEVICES[name], method)).parameters
    assert [p for p in promised if p != "self"] == list(offered)


@every
def test_a_plug_in_says_why_it_cannot_be_used(name):
    reason = DEVICES[name].unavailable()
    assert reason is None or len(reason) > 5
    assert reason is None or DEVICES[name].found() == () or "package" in reason


@every
def test_looking_for_devices_imports_nothing_heavy(name):
    program = (
        "import sys\nfrom guard import plugins\n"
        f"device = plugins.load('devices')[{name!r}]\ndevice.unavailable(), device.found()\n"
        "print(sorted({'torch', 'triton', 'numpy'} & set(sys.modules)))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


@present
def test_devices_found_have_an_identity_of_their_own(name):
    found = DEVICES[name].found()
    assert found
    assert all(isinstance(one, DeviceIdentity) and one.kind == name for one in found)
    assert len({one.name for one in found}) == len(found)
    assert all(one.hardware and one.architecture for one in found)
    assert DEVICES[name].found() == found


@present
def test_an_arena_is_memory_that_tensors_share(name):
    device = DEVICES[name]
    (identity, *_) = device.found()
    assert device.free_bytes(identity) > 2**20
    arena = device.allocate(identity, 4096)
    first = arena.tensor(0, (2, 3), "float32")
    again = arena.tensor(0, (6,), "float32")
    other = arena.tensor(1024, (6,), "float32")
    other.zero_()
    first.fill_(2.5)
    assert again.tolist() == [2.5] * 6
    assert other.tolist() == [0.0] * 6
    assert arena.tensor(512, (), "int64").shape == ()
    assert arena.tensor(512, (0, 4), "bfloat16").numel() == 0
    assert all(isinstance(value, str | int) for value in arena.handle().values())
    assert all(isinstance(fd, int) for fd in arena.fds())
    device.synchronise()
    del first, again, other
    arena.close()


@present
@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "float8_e4m3fn", "int8", "bool"])
def test_an_arena_holds_every_type(name, dtype):
    device = DEVICES[name]
    arena = device.allocate(device.found()[0], 4096)
    tensor = arena.tensor(256, (3, 5), dtype)
    assert (tensor.shape, tensor.dtype) == ((3, 5), getattr(torch, dtype))
    del tensor
    arena.close()


@present
def test_a_device_that_does_not_record_says_so(name):
    if not DEVICES[name].records:
        with pytest.raises(RuntimeError):
            DEVICES[name].capture([])


@present
def test_a_process_that_is_not_there_has_no_time_and_nothing_to_forget(name):
    assert DEVICES[name].host_time(2**22 + 1) is None
    DEVICES[name].forget(2**22 + 1)
