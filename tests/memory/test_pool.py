"""What a reader is answered from, whatever the retention."""

from itertools import product
from random import Random

import pytest

from guard.domain.decision import Policy, Retention
from memory import views
from memory.board import Board
from memory.conclusion import Conclusion
from memory.engine import Database
from memory.pool import SHORT, Asked, news, opposed, pool
from memory.records import Campaign, Claim
from memory.retention import Reader, retained
from tests.memory.builders import NOW, held, promoted, verified

ADA, BOB = Reader(token="local", agent="ada"), Reader(token="local", agent="bob")
WORDS = [
    "tile",
    "warp",
    "load",
    "store",
    "loop",
    "unroll",
    "fuse",
    "split",
    "cache",
    "vector",
    "lane",
    "stage",
]


@pytest.fixture
def claims(board: Board, campaign: Campaign) -> list[Claim]:
    return [held(board, campaign, "tiling"), held(board, campaign, "fusion", "bob")]


def fill(board: Board, claims: list[Claim], count: int, seed: int = 1) -> None:
    """Random conclusions of two agents; some repeat, some contradict, some cite a cheat."""
    random = Random(seed)
    cheat = promoted(board, claims[0], "cheat").id
    honest = verified(board, claims[1], "honest").id
    for number in range(count):
        kind = random.choice(["win", "trap"])
        note = " ".join(random.sample(WORDS, 3))
        speedup = random.choice([1.1, 1.5, 2.0, 3.0]) if kind == "win" else None
        cited = random.choice([cheat, honest, honest])
        claim = random.choice(claims)
        board.post_conclusion(claim.id, kind, note, f"{number}", [cited], speedup, NOW)
    board.revoke(cheat, "it cheats")


def told(found: tuple[Conclusion, ...]) -> list[tuple[int, int]]:
    return [(c.seq, c.times) for c in found]


def test_the_database_shows_what_the_pure_rule_keeps_of_all_rows(
    database: Database, board: Board, campaign: Campaign, claims: list[Claim]
) -> None:
    fill(board, claims, 60)
    everything = views.conclusions(database, campaign.id, limit=1000)
    for retention, reader, kept in product(Retention, (ADA, BOB), (1, 3, 16)):
        policy = Policy(retention=retention, kept=kept)

        found = pool(database, campaign.id, policy, Asked(reader=reader))

        expected = retained(everything, policy, reader)
        assert told(found) == told(expected), (retention, reader, kept)


def test_a_pool_stays_small_and_holds_the_best_the_newest_and_the_readers_own_lane(
    database: Database, board: Board, campaign: Campaign
) -> None:
    claim = held(board, campaign)
    cited = [verified(board, claim).id]
    for number in range(3 * SHORT):
        speedup = 9.0 if number == 0 else 1.0 + number / 1000
        board.post_conclusion(claim.id, "win", f"n{number} m{number}", "", cited, speedup, NOW)

    found = pool(database, campaign.id, Policy(), Asked())
    notes = [c.note.split()[0] for c in found]

    assert len(found) == SHORT + 1
    assert notes[0] == "n0" and notes[-1] == f"n{3 * SHORT - 1}"
    newer = pool(database, campaign.id, Policy(), Asked(since=found[-3].seq))
    assert [c.seq for c in newer] == [c.seq for c in found[-2:]]


ASKED = [
    # retention, reader, words, notes found
    pytest.param(Retention.UNBOUNDED, BOB, ("spill",), ["a wide tile spills"], id="all"),
    pytest.param(Retention.PRIVATE, ADA, ("spill",), ["a wide tile spills"], id="her own"),
    pytest.param(Retention.PRIVATE, BOB, ("spill",), ["A wide tile spills!"], id="his own repeat"),
    pytest.param(Retention.BOUNDED, BOB, ("loop",), [], id="displaced"),
    pytest.param(Retention.NONE, ADA, ("spill",), [], id="none"),
]


@pytest.mark.parametrize(("retention", "reader", "words", "expected"), ASKED)
def test_words_find_only_what_the_reader_may_see(
    database: Database, board: Board, campaign: Campaign, claims, retention, reader, words, expected
) -> None:
    cited = [verified(board, claims[0]).id]
    for claim, note in (
        (claims[0], "the loop is bound by loads"),
        (claims[0], "a wide tile spills"),
        (claims[1], "A wide tile spills!"),
    ):
        board.post_conclusion(claim.id, "trap", note, "", cited, None, NOW)
    policy = Policy(retention=retention, kept=1)

    found = pool(database, campaign.id, policy, Asked(reader=reader, words=words))

    assert [c.note for c in found] == expected


@pytest.mark.parametrize("retention", [Retention.UNBOUNDED, Retention.PRIVATE], ids=str)
def test_opposites_are_found_from_either_side(
    database: Database, board: Board, campaign: Campaign, claims, retention
) -> None:
    cited = [verified(board, claims[0]).id]
    first = board.post_conclusion(claims[0].id, "trap", "wide loads lose", "", cited, None, NOW)
    second = board.post_conclusion(claims[1].id, "win", "wide loads gain", "", cited, 1.5, NOW)
    policy, asked = Policy(retention=retention), Asked(reader=ADA)
    shown = pool(database, campaign.id, Policy(), Asked())

    found = opposed(database, campaign.id, policy, shown, asked)

    pairs = {seq: [c.seq for c in others] for seq, others in found.items()}
    everybody = retention is Retention.UNBOUNDED
    one_way = {second.seq: [first.seq]}
    assert pairs == (one_way | {first.seq: [second.seq]} if everybody else one_way)


@pytest.mark.parametrize("retention", [*Retention], ids=str)
def test_who_reads_on_and_on_gets_all_that_it_may_see_in_order(
    database: Database, board: Board, campaign: Campaign, claims, retention
) -> None:
    fill(board, claims, 40)
    policy, since, read = Policy(retention=retention, kept=5), 0, []
    everything = views.conclusions(database, campaign.id, limit=1000)

    while page := news(database, campaign.id, policy, Asked(reader=ADA, since=since), 3):
        read += page
        since = page[-1].seq

    assert told(tuple(read)) == told(retained(everything, policy, ADA))
