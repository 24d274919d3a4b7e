"""`memory.efforts`: what was tried and brought, as the database counts it."""

import math

from guard.domain.adherence import Adherence
from guard.domain.decision import Verdict
from memory import efforts
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Claim, ClaimState, Submission
from memory.tallies import Best, Counts, Tried
from tests.memory.builders import NOW, benchmark, held, passed, running_benchmark, solution


def verified(
    board: Board,
    claim: Claim,
    text: str,
    *,
    same_as: int = 0,
    follows: tuple[str, ...] = (),
    builds_on: tuple[int, ...] = (),
) -> Submission:
    submission, job = board.submit(claim.id, solution(text), builds_on, NOW)
    board.start_job(job.id)
    found = Adherence(holds=True, evidence="seen", follows=follows)
    board.record_verification(
        submission.id, job.id, passed(), NOW, adherence=found, same_as=same_as
    )
    return submission


def decided(board: Board, submission: Submission, speedup: float, *, champion: int = 0) -> None:
    """A promotion over the baseline, or acceptance beside a champion."""
    job = running_benchmark(board, submission)
    verdict = Verdict.ACCEPTED if champion else Verdict.PROMOTED
    found = benchmark(
        submission, verdict, generation=int(champion > 0), champion=champion, speedup=speedup
    )
    promote = None if champion else submission.solution
    assert board.record_benchmark(found, job.id, promote=promote)


def walked(board: Board, campaign: Campaign) -> tuple[Claim, Claim]:
    """Two strategies: one with a promotion and a slower one, one with a copy and a failure."""
    ada, bob = held(board, campaign), held(board, campaign, "fusing", "bob")
    first = verified(board, ada, "one", follows=("x.y",))
    decided(board, first, 2.0)
    decided(board, verified(board, ada, "two"), 1.5, champion=first.id)
    verified(board, bob, "one, renamed", same_as=first.id)
    verified(board, bob, "three")
    return ada, bob


def tried(database: Database, campaign: Campaign) -> list[Tried]:
    return [record.tried for record in efforts.efforts(database, campaign.id)[0]]


def test_each_strategy_tells_what_it_saw_and_brought(
    board: Board, database: Database, campaign: Campaign
) -> None:
    walked(board, campaign)

    tiling, fusing = tried(database, campaign)

    assert tiling.counts == Counts(handed_in=2, benchmarked=2, measured=2)
    assert (
        tiling.best
        == tiling.win
        == Best(submission_id=1, speedup=2.0, low=1.98, over_parents=2.0, follows=("x.y",))
    )
    assert tiling.gain == math.log(2)
    # A copy is known, and is nobody's benchmark; it gained nothing.
    assert fusing == Tried(counts=Counts(handed_in=2, benchmarked=0, measured=1))


def test_a_win_is_what_gained_the_most_over_what_it_builds_on(
    board: Board, database: Database, campaign: Campaign
) -> None:
    ada, bob = held(board, campaign), held(board, campaign, "fusing", "bob")
    first = verified(board, ada, "one")
    decided(board, first, 2.0)
    decided(board, verified(board, bob, "alone"), 1.5, champion=first.id)
    decided(board, verified(board, bob, "grown", builds_on=(first.id,)), 2.2, champion=first.id)

    _, fusing = tried(database, campaign)

    assert fusing.best is not None and fusing.win is not None
    assert (fusing.best.speedup, fusing.best.over_parents) == (2.2, 1.1)
    assert (fusing.win.speedup, fusing.win.over_parents) == (1.5, 1.5)


def test_counting_on_from_any_moment_tells_the_same_as_counting_all(
    board: Board, database: Database, campaign: Campaign
) -> None:
    ada, bob = held(board, campaign), held(board, campaign, "fusing", "bob")
    known, tallies = None, [None]

    def look() -> None:
        nonlocal known
        _, known = efforts.efforts(database, campaign.id, known)
        tallies.append(known)

    look()
    first = verified(board, ada, "one")
    look()
    # A copy of what is not benchmarked yet counts as measured as soon as that is.
    verified(board, bob, "copy", same_as=first.id)
    look()
    decided(board, first, 2.0)
    look()
    verified(board, bob, "another", same_as=first.id)
    decided(board, verified(board, ada, "two"), 3.0, champion=first.id)
    look()
    board.revoke(first.id, "it cheated")
    look()

    whole = efforts.efforts(database, campaign.id)
    for tally in tallies:
        assert efforts.efforts(database, campaign.id, tally) == whole
    assert [record.tried.counts for record in whole[0]] == [
        Counts(handed_in=2, benchmarked=2, measured=2),
        Counts(handed_in=2, benchmarked=0, measured=2),
    ]


def test_what_was_revoked_is_no_longer_the_best_and_gained_nothing(
    board: Board, database: Database, campaign: Campaign
) -> None:
    walked(board, campaign)
    board.revoke(1, "it cheated")

    tiling, _ = tried(database, campaign)

    assert tiling.best is not None
    assert (tiling.best.submission_id, tiling.best.speedup, tiling.gain) == (2, 1.5, 0.0)
    assert tiling.counts.benchmarked == 2


def test_an_agents_own_counts_go_on_over_its_claims_and_leave_others_out(
    board: Board, database: Database, campaign: Campaign
) -> None:
    ada, _ = walked(board, campaign)
    board.close_claim(ada.id, ClaimState.DONE, detail="", now_s=NOW)
    cid = held(board, campaign, agent="cid")
    verified(board, cid, "four")
    board.close_claim(cid.id, ClaimState.DONE, detail="", now_s=NOW)
    again = held(board, campaign)
    verified(board, again, "five")

    assert efforts.own_counts(database, again) == Counts(handed_in=3, benchmarked=2, measured=2)
    assert efforts.own_counts(database, cid) == Counts(handed_in=1)
    assert efforts.claims_of(database, campaign.id, "local", "ada") == (
        *efforts.claims_of(database, campaign.id, "local", "ada")[:1],
        again,
    )


def test_the_champion_is_among_the_fastest_however_few_are_asked_for(
    board: Board, database: Database, campaign: Campaign
) -> None:
    walked(board, campaign)

    (alone,) = efforts.laps(database, campaign.id, 0, 1)
    both = efforts.laps(database, campaign.id, 2, 1)

    assert (alone.submission_id, alone.strategy) == (1, "tiling")
    assert alone.speedups == {"w1": 2.0, "w2": 2.0}
    assert {lap.submission_id for lap in both} == {1, 2}
