"""Text that tries to hide, to move or to end a line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.plain import one_line, plain

HOSTILE = [
    pytest.param("a\x1b[2J\x1b[Hb", "ab", id="clears the screen"),
    pytest.param("a\x1b]0;title\x07b", "ab", id="sets a title"),
    pytest.param("a\x1b]8;;http://x\x1b\\b", "ab", id="a link"),
    pytest.param("a\x1b]never closed", "anever closed", id="an open sequence hides nothing"),
    pytest.param("a\x9b2Jb", "a2Jb", id="eight-bit escape"),
    pytest.param("a\x00b\x07c\x08", "abc", id="NUL, bell and backspace"),
    pytest.param("real\rfake", "realfake", id="carriage return"),
    pytest.param("a\u2028b\u2029c\x85d", "abcd", id="other line ends"),
    pytest.param("a\u202eb\u2066c", "abc", id="direction"),
    pytest.param("a\u200bb\ufeffc\u2060", "abc", id="zero width"),
    pytest.param("a\u3164b\u115f\ufe0f\U000e0101", "ab", id="drawn by no font"),
    pytest.param("a\U000e0041b", "ab", id="tags"),
    pytest.param("a\ud800b\udfff", "ab", id="lone surrogates"),
    pytest.param("a\r\n\tb", "a\n\tb", id="newlines and tabs stay"),
    pytest.param("Größe 世界 ×", "Größe 世界 ×", id="letters stay"),
]


@pytest.mark.parametrize(("text", "expected"), HOSTILE)
def test_only_what_is_seen_stays(text, expected):
    assert plain(text) == expected


@given(st.text())
def test_plain_text_is_encodable_and_stays_as_it_is(text):
    shown = plain(text)
    shown.encode()
    assert plain(shown) == shown
    assert len(shown) <= len(text)


def test_one_line_is_one_line():
    assert one_line("a\nb\r\n\u2028 c\td") == "a b c d"
