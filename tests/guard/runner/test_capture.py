"""`guard.runner.capture`: calls over slots, and where their outputs lie."""

import pytest
import torch

from guard.asks import BindAsk, CaptureAsk, SetsAt, TensorAt
from guard.devices.cpu import DEVICE
from guard.python_source import PythonKernel
from guard.runner.capture import Bench, WrongReturn, outputs_of

X, Y = torch.ones(2), torch.zeros(3)
RETURNS = [
    pytest.param(X, ["a"], [X], id="a tensor"),
    pytest.param((X, Y), ["a", "b"], [X, Y], id="a tuple"),
    pytest.param([X, Y], ["a", "b"], [X, Y], id="a list"),
    pytest.param({"b": Y, "a": X, "more": 1}, ["a", "b"], [X, Y], id="a dict by name"),
]


@pytest.mark.parametrize(("result", "names", "expected"), RETURNS)
def test_outputs_come_in_definition_order(result, names, expected):
    found = outputs_of(result, names)
    assert all(a is b for a, b in zip(found, expected, strict=True))


class Special(torch.Tensor):
    """A tensor that could lie about its elements."""


WRONG = [
    pytest.param(None, "RUNTIME_ERROR", "NoneType", id="nothing"),
    pytest.param(3.0, "RUNTIME_ERROR", "float", id="a number"),
    pytest.param(torch.ones(2).as_subclass(Special), "RUNTIME_ERROR", "Special", id="a subclass"),
    pytest.param((X, Y), "INCORRECT_SHAPE", "returned 2 outputs, expected 1", id="too many"),
    pytest.param((), "INCORRECT_SHAPE", "returned 0 outputs", id="none"),
    pytest.param({"z": X}, "INCORRECT_SHAPE", "lacks a", id="another name"),
]


@pytest.mark.parametrize(("result", "status", "message"), WRONG)
def test_what_is_no_output_is_refused(result, status, message):
    with pytest.raises(WrongReturn, match=message) as caught:
        outputs_of(result, ["a"])
    assert caught.value.status == status


SLOT = 64


def bench(function, *, returns=False, count=6):
    """A bench over slots of one input and one output of four numbers each."""
    arena = DEVICE.allocate(DEVICE.found()[0], count * SLOT)
    ask = BindAsk(
        inputs=(TensorAt(shape=(4,), dtype="float32"), 2.0),
        outputs=(TensorAt(shape=(4,), dtype="float32"),),
        input_names=("x", "scale"),
        names=("y",),
        returns=returns,
        offsets=(0,) if returns else (0, 32),
        slot_bytes=SLOT,
        count=count,
        axes={"N": 4},
    )
    made = Bench(PythonKernel(function, not returns), DEVICE, arena, ask)
    for slot in range(count):
        arena.tensor(slot * SLOT, (4,), "float32").fill_(slot + 1)
    arena.close()
    return made, lambda slot: arena.tensor(slot * SLOT + 32, (4,), "float32").tolist()


def scale(x, factor, y):
    torch.mul(x, factor, out=y)


def test_a_plain_call_writes_its_own_slot_alone():
    made, output = bench(scale)
    assert made.call(3) == ()
    assert [output(slot) for slot in range(6)] == [[0.0] * 4] * 3 + [[8.0] * 4] + [[0.0] * 4] * 2


def test_a_block_is_one_pass_over_its_slots():
    made, output = bench(scale)
    assert made.capture(CaptureAsk(short=(0,), long=(2, 4), mode="host")) == ()
    assert made.block(True) == ()
    assert [output(slot)[0] for slot in range(6)] == [0, 0, 6, 0, 10, 0]
    made.block(False)
    assert [output(slot)[0] for slot in range(6)] == [2, 0, 6, 0, 10, 0]


def test_returned_outputs_of_a_block_are_located_per_slot():
    made, _ = bench(lambda x, factor: x * factor, returns=True)
    assert made.capture(CaptureAsk(short=(0,), long=(1, 2, 3), mode="host")) == ()
    located = made.block(True)
    assert [len(outputs) for outputs in located] == [1, 1, 1]
    assert len({outputs[0].address for outputs in located}) == 3
    assert located[0][0].shape == (4,)
    assert (located[0][0].strides, located[0][0].dtype) == ((1,), "float32")


def test_returned_outputs_live_until_the_next_call_of_their_slot():
    made, _ = bench(lambda x, factor: x * factor, returns=True)
    first, second = made.call(0), made.call(1)
    assert first[0].address != second[0].address


def test_a_wrong_return_is_told_at_the_call():
    made, _ = bench(lambda x, factor: [x, x], returns=True)
    with pytest.raises(WrongReturn, match="returned 2 outputs"):
        made.call(0)


def test_a_block_that_was_not_made_ready_cannot_be_run():
    made, _ = bench(scale)
    with pytest.raises(KeyError):
        made.block(True)


def shared(kernel):
    """A bench over three slots that take turns over two sets of one constant input."""
    arena = DEVICE.allocate(DEVICE.found()[0], 5 * SLOT)
    one = TensorAt(shape=(4,), dtype="float32")
    ask = BindAsk(
        inputs=(one, one, 2.0),
        outputs=(one,),
        input_names=("w", "x", "scale"),
        names=("y",),
        returns=False,
        offsets=(0, 32),
        slot_bytes=SLOT,
        count=3,
        axes={"N": 4},
        constants=SetsAt(
            names=("w",), start=3 * SLOT, set_bytes=SLOT, offsets=(16,), of_slot=(1, 0, 1)
        ),
    )
    made = Bench(kernel, DEVICE, arena, ask)
    for slot in range(3):
        arena.tensor(slot * SLOT, (4,), "float32").fill_(slot + 1)
    weights = [arena.tensor((3 + n) * SLOT + 16, (4,), "float32") for n in range(2)]
    for number, weight in enumerate(weights):
        weight.fill_(10.0 ** (number + 1))
    arena.close()
    return made, weights, lambda slot: arena.tensor(slot * SLOT + 32, (4,), "float32").tolist()[0]


def weighted(w, x, factor, y):
    torch.mul(x, w * factor, out=y)


def prepared(x, factor, doubled, y):
    torch.mul(x, doubled * factor, out=y)


SHARED = [
    pytest.param(PythonKernel(weighted, True), False, [20, 400, 60, 2000], id="as plain inputs"),
    pytest.param(
        PythonKernel(prepared, True, lambda w: 2 * w), True, [40, 800, 120, 4000], id="prepared"
    ),
]


@pytest.mark.parametrize(("kernel", "prepares", "expected"), SHARED)
def test_slots_of_one_set_share_its_constants_until_it_is_asked_for_anew(
    kernel, prepares, expected
):
    made, weights, output = shared(kernel)
    with pytest.raises(KeyError):
        made.call(0)
    assert [made.prepare(number) for number in range(2)] == [prepares] * 2
    for slot in range(3):
        made.call(slot)
    first, second, third, last = expected
    assert [output(slot) for slot in range(3)] == [first * 10, second / 10, third * 10]
    weights[1].fill_(1000.0)
    made.prepare(1)
    made.call(0)
    assert output(0) == last


def test_what_prepare_returns_must_be_tensors():
    made, _, _ = shared(PythonKernel(prepared, True, lambda w: {"w": w}))
    with pytest.raises(TypeError, match="a tensor or a tuple of tensors, not a dict"):
        made.prepare(0)
