"""`guard.referee.stored`: one tensor of a safetensors file, checked before it is read."""

import json

import pytest
import torch

from guard.domain.problem import SafetensorsInput
from guard.referee.reference import ReferenceFailed
from guard.referee.stored import load

WANTED = torch.empty(2, 3)


def write(path, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def entry(**changed):
    return {"dtype": "F32", "shape": [2, 3], "data_offsets": [4, 28], **changed}


def source(path="blobs/a.safetensors", key="x"):
    return SafetensorsInput(type="safetensors", path=path, tensor_key=key)


def test_a_stored_tensor_is_read(tmp_path):
    values = torch.arange(6.0).reshape(2, 3)
    data = b"skip" + values.numpy().tobytes()
    write(tmp_path / "blobs/a.safetensors", {"x": entry(), "__metadata__": {}}, data)
    assert torch.equal(load(str(tmp_path), source("set/blobs/a.safetensors"), WANTED), values)


def test_an_empty_tensor_is_read(tmp_path):
    empty = entry(shape=[0, 3], data_offsets=[0, 0])
    write(tmp_path / "blobs/a.safetensors", {"x": empty})
    assert load(str(tmp_path), source(), torch.empty(0, 3)).shape == (0, 3)


BROKEN = [
    pytest.param({"y": entry()}, "no tensor 'x'", id="no such key"),
    pytest.param({"x": entry(dtype="F16", data_offsets=[0, 12])}, "float16", id="dtype"),
    pytest.param({"x": entry(shape=[3, 2])}, r"\(3, 2\)", id="shape"),
    pytest.param({"x": entry(dtype="U8")}, "cannot be read", id="unknown dtype"),
    pytest.param({"x": entry(data_offsets=[0, 8])}, "offsets", id="offsets too close"),
    pytest.param({"x": entry(data_offsets=[-24, 0])}, "offsets", id="negative offset"),
    pytest.param({"x": entry(data_offsets=[4000, 4024])}, "ends early", id="past the end"),
    pytest.param({"x": {"dtype": "F32"}}, "cannot be read", id="incomplete entry"),
    pytest.param({"x": 3}, "cannot be read", id="entry is a number"),
    pytest.param([1], "no object", id="header is a list"),
    pytest.param(b"{", "cannot be read", id="not JSON"),
    pytest.param(b"", "sensible length", id="no header"),
]


@pytest.mark.parametrize(("header", "message"), BROKEN)
def test_a_damaged_file_is_the_references_failure(tmp_path, header, message):
    write(tmp_path / "blobs/a.safetensors", header, bytes(64))
    with pytest.raises(ReferenceFailed, match=message):
        load(str(tmp_path), source(), WANTED)


@pytest.mark.parametrize("path", ["../a", "/etc/hostname", "missing"])
def test_a_file_elsewhere_is_not_opened(tmp_path, path):
    with pytest.raises(ReferenceFailed):
        load(str(tmp_path), source(path), WANTED)
