"""`guard.asks`: an answer is bounded in every part, whatever a runner claims."""

import json

import pytest
from pydantic import TypeAdapter, ValidationError

from guard.asks import (
    ANSWERS,
    ASKS,
    AttachAsk,
    BindAsk,
    BlockAsk,
    CallAsk,
    CaptureAsk,
    CompileAsk,
    KeepAsk,
    LoadAsk,
    Returned,
    Spawn,
    TensorAt,
)
from guard.wire import FileEntry
from tests.guard.trials import solution

X = TensorAt(shape=(2, 3), dtype="float32")
BIND = BindAsk(
    inputs=(X, 2.5, 7, True),
    outputs=(X,),
    input_names=("x", "a", "b", "c"),
    names=("y",),
    returns=False,
    offsets=(0, 256),
    slot_bytes=512,
    count=2,
    axes={"M": 2},
)
ALL_ASKS = [
    CompileAsk(solution=solution(), architecture="x86_64"),
    LoadAsk(device="cpu", solution=solution(), files=(FileEntry(path="a", size_bytes=1),)),
    AttachAsk(handle={"size_bytes": 4096, "ipc": "00"}),
    BIND,
    CallAsk(slot=1),
    CaptureAsk(short=(0,), long=(1, 2), mode="host"),
    BlockAsk(long=True),
    KeepAsk(),
]


@pytest.mark.parametrize("ask", ALL_ASKS, ids=lambda ask: ask.type)
def test_an_ask_survives_the_wire(ask):
    again = ASKS.validate_json(ask.model_dump_json())
    assert again == ask
    assert type(again) is type(ask)


def test_a_python_number_keeps_its_kind():
    again = ASKS.validate_json(BIND.model_dump_json())
    assert [type(i) for i in again.inputs[1:]] == [float, int, bool]


PLACE = {"shape": [2], "strides": [1], "dtype": "float32", "address": 0}


def done(**changed):
    return {"type": "done", "returned": [[{**PLACE, **changed}]]}


REFUSED = [
    pytest.param({"type": "raised", "message": "x" * 8001}, id="long message"),
    pytest.param({"type": "raised", "message": "m", "status": "PASSED"}, id="a status of its own"),
    pytest.param(done(shape=[1] * 17), id="17 dimensions"),
    pytest.param(done(address=-1), id="negative address"),
    pytest.param(done(dtype="f" * 41), id="long type"),
    pytest.param(done(handle="0" * 201), id="long handle"),
    pytest.param(done(more=1), id="unknown field"),
    pytest.param({"type": "ready", "held": ["uid"] * 33, "fell": {}}, id="33 walls"),
    pytest.param({"type": "kept", "files": [{"path": "a", "size_bytes": -1}]}, id="negative size"),
    pytest.param(
        {"type": "kept", "files": [{"path": "a" * 1025, "size_bytes": 0}]}, id="long path"
    ),
    pytest.param(
        {"type": "compiled", "report": {}, "files": [{"path": "a", "size_bytes": 0}] * 4097},
        id="4097 files",
    ),
    pytest.param({"type": "block", "long": True}, id="an ask"),
]


@pytest.mark.parametrize("answer", REFUSED)
def test_an_answer_beyond_its_bounds_is_refused(answer):
    with pytest.raises(ValidationError):
        ANSWERS.validate_json(json.dumps(answer))


def test_the_answers_within_their_bounds_are_taken():
    answer = ANSWERS.validate_json(json.dumps(done()))
    assert answer.returned == ((Returned.model_validate(PLACE),),)


def test_a_spawn_survives_the_wire():
    order = Spawn(
        scratch="s",
        uid=61_000,
        memory_bytes=1,
        file_bytes=2,
        processes=3,
        cpus=(),
        readable=("/a",),
    )
    assert TypeAdapter(Spawn).validate_json(order.model_dump_json()) == order
