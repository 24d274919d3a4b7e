from collections.abc import Callable

import pytest

from memory.board import Board
from memory.engine import Database
from memory.records import Campaign
from memory.search import Bounds, by_index, by_letters, matching
from memory.words import MAX_WORDS, words_of
from tests.memory.builders import NOW, held, start, verified

NOTES = (
    "wide loads are faster",
    "tiles of 128 spill",
    "loading tiles twice costs",
    'say "quoted" OR (NOT x)*',
)


@pytest.fixture
def seqs(board: Board, campaign: Campaign) -> list[int]:
    claim = held(board, campaign, "memory.wide-io")
    cited = (verified(board, claim).id,)
    return [
        board.post_conclusion(claim.id, "trap", note, "because", cited, None, NOW).seq
        for note in NOTES
    ]


FOUND = [
    # asked, which notes, newest first
    pytest.param("tiles", [2, 1], id="newest first"),
    pytest.param("Tiles SPILL", [1], id="every word"),
    pytest.param("load", [2, 0], id="stems"),
    pytest.param("memory.wide-io spill", [1], id="a strategy"),
    pytest.param('"quoted" OR x', [3], id="no query language"),
    pytest.param("campaign : c1", [], id="no column of ours"),
    pytest.param("nothing", [], id="nothing"),
]


@pytest.mark.parametrize(("asked", "expected"), FOUND)
def test_words_find_conclusions(
    database: Database, campaign: Campaign, seqs: list[int], asked: str, expected: list[int]
) -> None:
    with database.read() as session:
        found = matching(session, words_of(asked), Bounds(campaign.id))

    assert [seqs.index(seq) for seq in found] == expected


@pytest.mark.parametrize("search", [by_index, by_letters], ids=["index", "letters"])
def test_a_search_is_bounded_and_stays_in_its_campaign(
    database: Database, board: Board, campaign: Campaign, seqs: list[int], search: Callable
) -> None:
    other = held(board, start(board, "other"), "memory.wide-io", "bob")
    theirs = board.post_conclusion(other.id, "trap", "tiles", "", (), None, NOW).seq

    with database.read() as session:

        def found(*words: str, **bounds) -> list[int]:
            return search(session, words, Bounds(campaign.id, **bounds))

        assert found("tiles") == [seqs[2], seqs[1]]
        assert found("tiles", "spill") == [seqs[1]]
        assert found("tiles", limit=1) == [seqs[2]]
        assert found("tiles", since=seqs[1]) == [seqs[2]]
        assert found("tiles", among=[seqs[0], seqs[1], theirs]) == [seqs[1]]


def test_words_are_few_and_plain() -> None:
    assert words_of("a" * 9 + " b_c'; DROP TABLE x--") == ("a" * 9, "b", "c", "drop", "table", "x")
    assert len(words_of(" ".join(map(str, range(99))))) == MAX_WORDS
