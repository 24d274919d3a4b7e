"""The house's own duels on the board, and how far a campaign's duels are."""

import math

from guard.domain.decision import Interval, Policy
from guard.promotion import terms
from memory import health, views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, HealthDuel, HealthKind, Tally
from tests.memory.builders import (
    NOW,
    benchmark,
    duel,
    held,
    promoted,
    running_benchmark,
    start,
    verified,
)

TERMS = terms(7, [0.01] * 6, Policy(), 3)


def found(campaign: Campaign, kind: HealthKind = "aa", *, wrong: bool = False) -> HealthDuel:
    return HealthDuel(
        campaign_id=campaign.id,
        kind=kind,
        champion_submission_id=0,
        against_submission_id=0,
        duel=duel("candidate", (math.inf, 0.1 + 0.2)),
        terms=TERMS,
        ratio=Interval(estimate=1.01, low=0.9, high=1.1),
        expected=1.0,
        promoted=wrong,
        wrong=wrong,
        fought_s=NOW,
    )


def test_every_number_survives_in_the_order_recorded(
    database: Database, board: Board, campaign: Campaign
) -> None:
    told = [found(campaign), found(campaign, "planted"), found(start(board, "other"))]
    seqs = [board.record_health(each) for each in told]

    stored = health.health_duels(database, campaign.id)

    expected = zip(told[:2], seqs[:2], strict=True)
    assert list(stored) == [d.model_copy(update={"seq": seq}) for d, seq in expected]
    assert views.latest_seq(database, campaign.id) == seqs[1]


def test_totals_are_counted_over_all_campaigns(
    database: Database, board: Board, campaign: Campaign
) -> None:
    for at in (campaign, start(board, "other")):
        board.record_health(found(at))
        board.record_health(found(at, wrong=True))

    totals = {t.kind: (t.fought, t.wrong) for t in health.health_totals(database)}

    assert totals == {"seed": (0, 0), "aa": (4, 2), "planted": (0, 0), "grand": (0, 0)}


def test_a_tally_counts_decisions_and_knows_the_last_duels_number(
    database: Database, board: Board, campaign: Campaign
) -> None:
    nothing = Tally(decisions=0, promotions=0, last_number=0)
    assert health.tally(database, campaign.id) == nothing
    claim = held(board, campaign)
    promoted(board, claim, "of an earlier version")
    late = verified(board, claim, "late")
    job = running_benchmark(board, late)
    told = benchmark(late, generation=1).model_copy(update={"terms": TERMS, "derived": True})
    board.record_benchmark(told, job.id, promote=late.solution)

    counted = health.tally(database, campaign.id)

    assert counted == Tally(decisions=2, promotions=2, last_number=7)
    assert views.benchmark_of(database, late.id) == told
    seqs = health.decision_seqs(database, campaign.id)
    assert list(seqs) == [1, late.id] and seqs[1] < seqs[late.id]


def test_campaigns_that_ended_are_not_open(
    database: Database, board: Board, campaign: Campaign
) -> None:
    other = start(board, "other")
    board.end_campaign(campaign.id)

    assert [(c.id, c.problem) for c in health.open_campaigns(database)] == [(other.id, "other")]
