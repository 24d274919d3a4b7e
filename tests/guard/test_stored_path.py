"""`guard.stored_path`: a stored tensor is found below the folder, never outside."""

import pytest

from guard.stored_path import find


@pytest.fixture
def folder(tmp_path):
    problem = tmp_path / "problem"
    (problem / "blobs").mkdir(parents=True)
    (problem / "blobs" / "a.safetensors").write_bytes(b"x")
    (tmp_path / "secret").write_bytes(b"x")
    (problem / "link").symlink_to(tmp_path / "secret")
    return problem


@pytest.mark.parametrize(
    "path", ["blobs/a.safetensors", "set/of/data/blobs/a.safetensors"], ids=["as is", "prefixed"]
)
def test_leading_parts_are_dropped_until_it_hits(folder, path):
    assert find(folder, path) == folder / "blobs" / "a.safetensors"


def test_a_file_that_is_not_there_is_none(folder):
    assert find(folder, "blobs/b.safetensors") is None
    assert find(folder, "blobs") is None


@pytest.mark.parametrize(
    "path",
    ["../secret", "/etc/passwd", "blobs/../../secret", "a\\..\\b", "link", "x/link", "a\0b"],
)
def test_a_path_out_of_the_folder_is_refused(folder, path):
    with pytest.raises(ValueError, match="path"):
        find(folder, path)
