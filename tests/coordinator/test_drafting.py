"""Drafting on a real board: what is refused, what is let through, and what it says."""

import pytest

from coordinator import catalogue
from coordinator.ceiling import Ceiling
from coordinator.claims import Claims
from coordinator.drafting import Drafting, Earlier, refuse_similar
from coordinator.plateau import Stage
from guard.domain.decision import Policy
from guard.domain.errors import TooSimilar
from guard.domain.machine_code import Instructions
from guard.domain.solution import Solution, Source
from guard.domain.trace import CompileReport
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Claim
from tests.coordinator.fakes import CPU, benchmark
from tests.coordinator.road import NOW, Road
from tests.guard.duels import verification

RUN = 'extern "C" void run(const float* x, float* y, long n) {{ {} }}'
EACH = "for (long i = 0; i < n; ++i) "
COPY = f"{EACH}y[i] = x[i];"
SUM = f"float s = 0; {EACH}s += x[i]; y[0] = s;"
EARLY = Policy(nudge_after=1, drafting_after=2, lane_after=4)


def written(body: str) -> Solution:
    source = Source(path="main.cpp", content=RUN.format(body))
    return Solution(definition="softmax_rows", language="cpp", sources=(source,))


def handed_in(road: Road, claim: Claim, *bodies: str) -> None:
    """Benchmarked candidates that brought no progress."""
    for body in bodies:
        submission, job = road.board.submit(claim.id, written(body), (), NOW)
        road.board.record_verification(submission.id, job.id, verification("w"), NOW)
        wanted = road.board.request_benchmark(submission.id, NOW)
        found = benchmark(submission_id=submission.id)
        road.board.record_benchmark(found, wanted.id, promote=None)


@pytest.fixture
def road(board: Board, database: Database) -> Road:
    return Road(board, database, EARLY)


@pytest.fixture
def drafting(database: Database) -> Drafting:
    return Drafting(database)


def test_in_drafting_a_retuned_candidate_is_refused_and_told_whose_it_repeats(
    road: Road, drafting: Drafting
):
    claim = road.claim()
    handed_in(road, claim, COPY)
    drafting.require_different(claim, road.campaign, written(f"int t = 4; {COPY}"), None)
    handed_in(road, claim, f"{COPY} // again")

    with pytest.raises(TooSimilar, match="your own submission 2: the same idea") as refused:
        again = written("for (long at = 0; at < n; ++at) y[at] = x[at];")
        drafting.require_different(claim, road.campaign, again, None)

    assert "language family" in refused.value.hint
    found = drafting.standing(claim, road.campaign)
    assert (found.stage, found.counted) == (Stage.DRAFTING, 2)


def test_in_drafting_a_different_idea_is_let_through(road: Road, drafting: Drafting):
    claim = road.claim()
    handed_in(road, claim, COPY, f"{COPY} // again")

    drafting.require_different(claim, road.campaign, written(SUM), None)


def test_the_same_request_is_not_refused_a_second_time(road: Road, drafting: Drafting):
    claim = road.claim()
    handed_in(road, claim, COPY, f"{COPY} // again")

    drafting.require_different(claim, road.campaign, written(COPY), None)


def test_a_siblings_champion_is_no_idea_of_ones_own(road: Road, drafting: Drafting):
    claim = road.claim()
    handed_in(road, claim, SUM, f"{SUM} // again")
    champion = views.champion(road.database, road.campaign.id).solution

    with pytest.raises(TooSimilar, match="the baseline"):
        drafting.require_different(claim, road.campaign, champion, None)


def test_before_a_benchmark_a_submission_is_not_compared_with_itself(
    road: Road, drafting: Drafting
):
    claim = road.claim()
    handed_in(road, claim, COPY)
    submission, _ = road.board.submit(claim.id, written(SUM), (), NOW)
    handed_in(road, claim, f"{COPY} // again")

    drafting.require_different(claim, road.campaign, submission.solution, submission)


def test_only_the_last_candidates_of_a_claim_count(board: Board, database: Database):
    road = Road(board, database, EARLY.model_copy(update={"drafting_last": 1}))
    claim = road.claim()
    handed_in(road, claim, SUM, COPY)

    again = written(f"{SUM} // again")
    Drafting(database).require_different(claim, road.campaign, again, None)


def compiled(total: int, loads: int, architecture: str = "") -> CompileReport:
    kernel = Instructions(kernel="run", total=total, classes={"loads": loads})
    return CompileReport(ok=True, architecture=architecture, instructions=(kernel,))


@pytest.mark.parametrize(
    ("mine", "theirs", "refused"),
    [
        pytest.param(compiled(500, 40), compiled(500, 40), True, id="the same instructions"),
        pytest.param(compiled(500, 40), compiled(501, 40), True, id="all but the same"),
        pytest.param(compiled(500, 40), compiled(700, 90), False, id="others"),
        pytest.param(compiled(9, 2), compiled(9, 2), False, id="too few to say"),
        pytest.param(compiled(500, 40, "sm_90"), compiled(500, 40), False, id="other machines"),
        pytest.param(compiled(500, 40), CompileReport(ok=True), False, id="not known"),
    ],
)
def test_what_the_compiler_made_the_same_is_no_different_idea(mine, theirs, refused):
    earlier = [Earlier(name="submission 1", solution=written(COPY), compiled=theirs)]

    if not refused:
        refuse_similar(written(SUM), mine, earlier, Policy())
        return
    with pytest.raises(TooSimilar, match="submission 1: the compiler made"):
        refuse_similar(written(SUM), mine, earlier, Policy())


def asked(road: Road, agent: str) -> Claim | Ceiling:
    claims = Claims(road.board, road.database, catalogue.load(), devices={"cpu": CPU})
    campaign: Campaign = road.campaign
    given = claims.assign(campaign, prefer="", token="local", agent=agent, now_s=road.now_s)
    assert isinstance(given, Claim | Ceiling)
    return given


async def test_an_agent_whose_claims_all_ended_is_told_to_stop_until_there_is_a_new_champion(
    board: Board, database: Database
):
    road = Road(board, database, Policy(lane_after=1, ceiling_lanes=2))
    lanes = []
    for turn in range(2):
        claim = asked(road, "ada")
        assert isinstance(claim, Claim)
        lanes.append(claim.lane)
        handed_in(road, claim, f"{COPY} // {turn}")
    told = asked(road, "ada")

    assert isinstance(told, Ceiling)
    assert all(lane in told.why for lane in lanes)
    assert isinstance(asked(road, "bob"), Claim)

    road.now_s += 1
    await road.benchmark(road.claim("eve", "scheduling.persistent"), 0.5)

    assert isinstance(asked(road, "ada"), Claim)
