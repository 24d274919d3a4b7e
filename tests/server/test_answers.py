"""Answers: text from facts, quoting, and fitting into the limit."""

import json
import time

import pytest

from server.answers import LIMIT, fit, quoted, render, result


def test_facts_are_written_as_indented_lines():
    facts = {
        "name": "double",
        "figures": {"low": 1.5, "none": []},
        "rows": [{"id": 1, "text": "a\nb"}, {"id": 2}],
    }
    assert render(facts).splitlines() == [
        "name: double",
        "figures:",
        "  low: 1.5",
        "  none: none",
        "rows:",
        "- id: 1",
        "  text:",
        "    | a",
        "    | b",
        "- id: 2",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain\n\ttext", "plain\n\ttext", id="newlines and tabs stay"),
        pytest.param("\x1b[31mred", "red", id="terminal escape"),
        pytest.param("a\u202eb\u200bc", "abc", id="direction and zero-width marks"),
        pytest.param("Grüße, 世界", "Grüße, 世界", id="letters of any script"),
    ],
)
def test_quoted_text_cannot_hide_anything(text: str, expected: str):
    assert quoted(text) == expected


def test_a_long_quote_keeps_its_end():
    shown = quoted("start " + "x" * 10_000 + " the error", 300)
    assert len(shown) < 400
    assert shown.startswith("start") and shown.endswith("the error")


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param({"log": "x" * 50_000, "next": "go"}, id="one long text"),
        pytest.param({"log": '"\\\n' * 9_000, "next": "go"}, id="text that JSON escapes"),
        pytest.param({"rows": [{"n": n, "t": "y" * 90} for n in range(900)], "next": "go"},
                     id="a long list"),
        pytest.param({"a": {"rows": [["z" * 200] * 3] * 90}, "next": "go"}, id="nested lists"),
    ],
)  # fmt: skip
def test_every_answer_fits_both_ways_and_keeps_what_to_do_next(facts):
    fitted = fit(facts)
    assert len(render(fitted)) <= LIMIT
    assert len(json.dumps(fitted, ensure_ascii=False)) <= LIMIT
    assert fitted["next"] == "go"


def test_what_was_cut_from_a_list_is_named():
    fitted = fit({"rows": [{"n": n, "t": "y" * 90} for n in range(900)]})
    assert fitted["shortened"] == [f"rows: {len(fitted['rows'])} of 900 shown"]


def test_an_answer_that_fits_is_left_alone():
    facts = {"a": 1, "b": ["x"]}
    assert result(facts).structured_content == facts


def test_hundreds_of_long_texts_are_shortened_in_no_time():
    rows = [{"name": "x" * 1_200, "number": number} for number in range(2_000)]
    began = time.monotonic()
    assert len(result({"rows": rows}).content[0].text) <= LIMIT
    # One text a time, it took minutes.
    assert time.monotonic() - began < 5


def test_a_mapping_of_many_entries_is_shortened_where_no_list_is_left():
    reasons = {f"folder_{number}": "a reason " * 25 for number in range(200)}
    fitted = fit({"problems": ["softmax"], "not_loaded": reasons})
    assert 1 <= len(fitted["not_loaded"]) < 200
    assert next(iter(fitted["not_loaded"])) == "folder_0"
    assert fitted["problems"] == ["softmax"]
    assert fitted["shortened"] == [f"not_loaded: {len(fitted['not_loaded'])} of 200 shown"]
    assert len(render(fitted)) <= LIMIT
