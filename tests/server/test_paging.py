"""How much one answer gives, and where the next goes on."""

import pytest

from server.paging import Question, cursor, fitting, length

ENTRIES = [{"seq": number, "untrusted_note": "a" * 100} for number in range(5)]
EACH = length(ENTRIES[0])
ROOMS = [
    # characters, entries given
    pytest.param(0, 1, id="never none"),
    pytest.param(2 * EACH, 2, id="exactly two"),
    pytest.param(3 * EACH - 1, 2, id="not quite three"),
    pytest.param(99 * EACH, 5, id="all"),
]


@pytest.mark.parametrize(("room", "expected"), ROOMS)
def test_as_many_are_given_as_fit(room, expected):
    assert fitting(ENTRIES, room) == ENTRIES[:expected]


def asked(since: int = 0, words: str = "") -> Question:
    return Question(since=since, kind="", words=words, budget=0)


CURSORS = [
    # question, numbers given, how many were found, cursor; the newest fact is 90
    pytest.param(asked(), [7, 9], 40, 90, id="a choice: from now on"),
    pytest.param(asked(since=5), [7, 9], 2, 90, id="all that was new"),
    pytest.param(asked(since=5), [7, 9], 3, 9, id="there is more: on from the last one given"),
    pytest.param(asked(since=95), [], 0, 95, id="it never goes back"),
    pytest.param(asked(since=5, words="tile"), [7], 1, 5, id="a search: others may be new"),
    pytest.param(asked(since=5, words="..."), [7], 1, 90, id="no word: no search"),
]


@pytest.mark.parametrize(("question", "given", "found", "expected"), CURSORS)
def test_the_cursor_stands_where_nothing_is_missed(question, given, found, expected):
    assert cursor(question, 90, given, found) == expected
