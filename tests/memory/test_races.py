"""Threads and processes that want the same thing: exactly one gets it."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign
from tests.memory.builders import (
    NOW,
    benchmark,
    claim,
    held,
    running_benchmark,
    solution,
    start,
    verified,
)
from tests.memory.processes import running

T = TypeVar("T")
THREADS = 8


def at_once(action: Callable[[int], T]) -> list[T]:
    barrier = Barrier(THREADS)

    def run(number: int) -> T:
        barrier.wait(timeout=10)
        return action(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def test_threads_that_claim_one_strategy_get_one_claim(
    database: Database, board: Board, campaign: Campaign
) -> None:
    taken = at_once(lambda n: claim(board, campaign, agent=f"agent{n}"))

    won = [c for c in taken if c]
    assert len(won) == 1
    assert views.claims(database, campaign.id) == tuple(won)


def test_threads_of_one_agent_get_one_claim(board: Board, campaign: Campaign) -> None:
    taken = at_once(lambda n: claim(board, campaign, f"strategy{n}"))

    assert len([c for c in taken if c]) == 1


def test_threads_that_start_a_campaign_get_the_same(board: Board) -> None:
    assert len({c.id for c in at_once(lambda _: start(board))}) == 1


def test_threads_that_submit_the_same_get_the_same_job(board: Board, campaign: Campaign) -> None:
    its_claim = held(board, campaign)

    answers = at_once(lambda _: board.submit(its_claim.id, solution(), (), NOW))

    assert len({(submission.id, job.id) for submission, job in answers}) == 1


def test_one_of_many_promotions_over_the_same_champion_wins_each_round(
    database: Database, board: Board, campaign: Campaign
) -> None:
    its_claim = held(board, campaign)
    submissions = [verified(board, its_claim, str(n)) for n in range(THREADS)]
    jobs = [running_benchmark(board, s).id for s in submissions]

    def promote_until_done(n: int) -> int:
        for attempt in range(1, 2 * THREADS):
            champion = views.champion(database, campaign.id)
            told = benchmark(
                submissions[n], generation=champion.generation, champion=champion.submission_id
            )
            if board.record_benchmark(told, jobs[n], promote=submissions[n].solution):
                return attempt
        return 0

    attempts = at_once(promote_until_done)

    assert all(attempts)
    assert views.champion(database, campaign.id).generation == THREADS
    # Each candidate was compared with the champion right before it.
    told = views.benchmarks(database, campaign.id)
    assert [b.generation for b in told] == list(range(THREADS))
    assert [b.champion_submission_id for b in told] == [0, *(b.submission_id for b in told[:-1])]


def test_threads_that_read_and_write_see_whole_submissions(
    database: Database, board: Board, campaign: Campaign
) -> None:
    its_claim = held(board, campaign)

    def write_or_read(n: int) -> None:
        for number in range(3):
            if n % 2:
                verified(board, its_claim, f"{n} {number}")
            for submission in views.submissions(database, campaign.id):
                assert submission.verification is None or submission.verification.judgements

    at_once(write_or_read)

    assert len(views.submissions(database, campaign.id)) == THREADS // 2 * 3


def test_processes_that_claim_the_same_strategies_get_each_once(
    url: str, database: Database, campaign: Campaign
) -> None:
    agents, strategies = 4, 25
    with running("race", url, str(agents), str(strategies)) as racers:
        assert racers.stdout is not None
        lines = racers.stdout.read().splitlines()

    assert len(lines) == agents * strategies
    won = Counter(line.split()[0] for line in lines if line.endswith("won"))
    assert won == Counter(f"s{n}" for n in range(strategies))
    assert len(views.live_claims(database, campaign.id, NOW)) == strategies
