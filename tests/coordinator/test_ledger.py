"""Accounts, exploration and origins: derived from the record alone."""

import math

import pytest

from coordinator.exploration import explored, fairness, ideas, lanes
from coordinator.ledger import accounts, by_house, outcome, total
from coordinator.origins import Past, origins
from guard.domain.decision import Policy
from guard.domain.spent import Spent
from guard.domain.trace import CompileReport, Verification
from memory import course, views
from memory.records import ClaimState
from tests.coordinator.fakes import solution
from tests.coordinator.road import NOW, Road
from tests.guard.duels import failed, verification, wrong

PAID = Spent(wait_s=1, compile_s=2, device_s=3)
JUDGED = [
    # a verification, what it is called
    pytest.param(None, "open", id="not judged yet"),
    pytest.param(verification("w"), "correct", id="not benchmarked"),
    pytest.param(verification(w=wrong()), "incorrect", id="wrong numbers"),
    pytest.param(verification("v", w=failed("RUNTIME_ERROR")), "crashed", id="crashed"),
    pytest.param(verification(w=failed()), "timed_out", id="out of time"),
    pytest.param(verification(w=failed("REWARD_HACK")), "reward_hack", id="a trick"),
    pytest.param(Verification(compiled=CompileReport(ok=False), judgements=()), "compile_error",
                 id="does not compile"),
    pytest.param(Verification(compiled=CompileReport(ok=True), judgements=()), "not_judged",
                 id="cannot run here"),
]  # fmt: skip


@pytest.fixture
def road(board, database) -> Road:
    return Road(board, database, Policy(lane_after=3, cooldown=0, drafting_after=2, nudge_after=1))


@pytest.mark.parametrize(("found", "name"), JUDGED)
def test_every_candidate_has_one_outcome(road: Road, found: Verification | None, name: str):
    job = road.hand_in(road.claim(), 0.1)
    if found is not None:
        road.board.record_verification(job.submission_id, job.id, found, NOW)
    submission = views.submission(road.database, job.submission_id)
    assert submission is not None
    assert outcome(submission) == name


def test_what_the_record_answered_is_no_outcome_of_its_own(road: Road):
    first = road.hand_in(road.claim(), 0.1)
    road.board.record_verification(first.submission_id, first.id, verification(w=wrong()), NOW)
    again = road.hand_in(road.claim("bob", "fusion.one-pass"), 0.1)
    road.board.record_verification(
        again.submission_id, again.id, verification(), NOW, same_as=first.submission_id
    )
    found = views.submission(road.database, again.submission_id)
    assert found is not None and outcome(found) == "from_record"


async def test_each_agent_pays_for_its_jobs_and_the_house_for_its_own(road: Road):
    ada, bob = road.claim(), road.claim("bob", "fusion.one-pass")
    for claim, gain in ((ada, 0.3), (ada, 0.1), (bob, 0.5)):
        job = road.verified(claim, gain, claim.agent)
        road.board.book(road.campaign.id, job.id, "duel", PAID)
        await road.pipeline.benchmark(job)
    road.board.book(road.campaign.id, "baseline-softmax_rows", "baseline", Spent(device_s=11))
    road.board.close_claim(
        bob.id, ClaimState.DONE, detail="", now_s=NOW, model="m", tokens=9, cost_usd=0.5
    )
    campaign = road.campaign.id
    submissions = views.submissions(road.database, campaign)
    lines = course.spendings(road.database, campaign)
    claims = views.claims(road.database, campaign)
    events = views.claim_events(road.database, campaign)
    first, second = accounts(claims, events, submissions, lines)
    assert (first.agent, first.outcomes) == ("ada", {"promoted": 1, "reverted": 1})
    assert first.spent == PAID + PAID
    assert first.gain == pytest.approx(0.3, abs=0.01)
    assert (second.models, second.tokens, second.cost_usd) == (("m",), 9, 0.5)
    assert second.gain == pytest.approx(0.2, abs=0.01)
    assert by_house(lines) == Spent(device_s=11)
    # Nothing is counted twice, and nothing is left out.
    assert total(line.spent for line in lines) == first.spent + second.spent + by_house(lines)

    memory, fusion = sorted(lanes(claims, submissions, lines), key=lambda lane: -lane.candidates)
    assert (memory.lane, memory.benchmarked, memory.promoted) == ("memory", 2, 1)
    assert memory.device_s == 6
    assert (fusion.best_speedup, fusion.device_s) == (pytest.approx(math.exp(0.5), rel=0.01), 3)

    champion = views.benchmark_of(road.database, 3)
    found = explored(
        road.campaign, submissions, champion, lines, (first, second),
        course.course(road.database, campaign),
    )  # fmt: skip
    assert (found.redundancy, found.strategies, found.lanes, found.compared) == (0.0, 2, 2, 3)
    assert found.best is not None and found.best.submission_id == 3
    assert found.fairness == pytest.approx(81 / 90)


def test_an_idea_counts_once(road: Road):
    texts = ("for (i) { s += x[i]; }", "for (j) { t += y[j]; }", "for (i) { m = max(m, x[i]); }")
    handed_in = [road.hand_in(road.claim(), 0.1, text).submission_id for text in texts[:1]]
    found = [views.submission(road.database, i) for i in handed_in]
    same = [one for one in found if one is not None]
    assert ideas([*same, *same], Policy()) == 1
    assert ideas([], Policy()) == 0


SHARES = [
    pytest.param([], None, id="nobody"),
    pytest.param([0.0, 0.0], None, id="nothing"),
    pytest.param([2.0, 2.0, 2.0], 1.0, id="all alike"),
    pytest.param([5.0, 0.0, 0.0, 0.0], 0.25, id="one has all"),
]


@pytest.mark.parametrize(("shares", "index"), SHARES)
def test_fairness_is_jains_index(shares: list[float], index: float | None):
    assert fairness(shares) == index


def past_of(road: Road) -> Past:
    database, campaign = road.database, road.campaign.id
    return Past(
        road.campaign,
        views.claims(database, campaign),
        views.submissions(database, campaign),
        views.benchmarks(database, campaign),
        views.conclusions(database, campaign, limit=99),
        course.readings(database, campaign),
    )


async def test_a_promotion_names_the_siblings_conclusions_before_it(road: Road):
    ada, bob = road.claim(), road.claim("bob", "fusion.one-pass")
    first = await road.benchmark(ada, 0.1)
    posted = [
        road.board.post_conclusion(ada.id, "win", f"n{i}", "r", [first.submission_id], 1.1, NOW)
        for i in range(2)
    ]
    road.board.note_reading(bob.id, [posted[1].seq])
    _, job = road.board.submit(bob.id, solution(0.3), (first.submission_id,), NOW + 1)
    road.board.record_verification(job.submission_id, job.id, verification("w"), NOW + 1)
    await road.pipeline.benchmark(road.board.request_benchmark(job.submission_id, NOW + 1))
    late = road.board.post_conclusion(ada.id, "win", "late", "r", [first.submission_id], 1, NOW + 2)
    own, shared = origins(past_of(road))
    assert (own.shared, own.builds_on_siblings, own.forced) == (False, (), "")
    assert shared.shared
    assert shared.builds_on_siblings == (first.submission_id,)
    assert shared.cited_conclusions == (posted[0].seq, posted[1].seq)
    assert late.seq not in shared.cited_conclusions
    assert len(shared.read_conclusions) <= 1


async def test_a_promotion_names_the_change_that_was_forced(road: Road):
    claim = road.claim()
    # The second and third bring nothing: the fourth is handed in while in drafting.
    for number, gain in enumerate((0.1, 0.0, 0.01, 0.3)):
        road.now_s = NOW + 10 * number
        await road.benchmark(claim, gain, str(number))
    for number, gain in enumerate((0.02, 0.01, 0.0), start=4):
        road.now_s = NOW + 10 * number
        await road.benchmark(claim, gain, str(number))
    assert road.claim_now(claim).state is ClaimState.EXHAUSTED
    road.now_s = NOW + 100
    await road.benchmark(road.claim("ada", "fusion.one-pass"), 0.6)
    assert [origin.forced for origin in origins(past_of(road))] == [
        "",
        "drafting",
        "another lane",
    ]
