"""A Policy from a file: fields by name, refused with their range."""

import json
from pathlib import Path

import pytest

from guard.domain.decision import Policy
from guard.domain.errors import BadValue
from server.policy import range_of, read_policy


def test_a_file_changes_what_it_names(tmp_path: Path):
    toml, as_json = tmp_path / "policy.toml", tmp_path / "policy.json"
    toml.write_text("max_candidates = 30\nmin_gain = 0.02\n")
    as_json.write_text(json.dumps({"max_candidates": 30, "min_gain": 0.02}))
    wanted = Policy(max_candidates=30, min_gain=0.02)
    assert read_policy(toml) == read_policy(as_json) == wanted
    assert read_policy(None) == Policy()


WRONG = [
    # a file's text, what is said
    pytest.param("max_pairs = 99", "must be a whole number, at least 3, at most 8; got 99",
                 id="out of range"),
    pytest.param("max_wall_s = 0", "max_wall_s: must be a number, above 0; got 0", id="no time"),
    pytest.param("max_candidates = 0", "max_candidates: must be a whole number, at least 1; got 0",
                 id="no candidates"),
    pytest.param('lease_s = "long"', 'lease_s: must be a number, above 0; got "long"', id="a text"),
    pytest.param("min_gian = 0.1", "Did you mean 'min_gain'?", id="misspelt"),
    pytest.param("min_gain", "cannot be read", id="no TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_what_cannot_be_used_is_named_with_its_range(tmp_path: Path, text: str, said: str):
    path = tmp_path / "policy.toml"
    path.write_text(text)
    with pytest.raises(BadValue) as refused:
        read_policy(path)
    assert said in refused.value.message


def test_a_file_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(BadValue, match="cannot be read"):
        read_policy(tmp_path / "none.toml")


@pytest.mark.parametrize("name", Policy.model_fields)
def test_every_field_has_a_range(name: str):
    assert range_of(name)
