"""What may answer for a candidate: the same one, judged to its end, and nothing else."""

import pytest

from guard.domain.decision import Verdict
from guard.domain.trace import CompileReport, Judgement, Verification
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Claim, Submission
from memory.twins import Known, known
from tests.guard.duels import failed, verification
from tests.memory.builders import (
    NOW,
    benchmark,
    duel,
    held,
    promoted,
    running_benchmark,
    solution,
    start,
)

CODE, OTHER = "a" * 64, "b" * 64
NOTHING = Known(0, {})


def judged(
    board: Board, claim: Claim, text: str, found: Verification, code: str = CODE, same_as: int = 0
) -> Submission:
    submission, job = board.submit(claim.id, solution(text), (), NOW)
    compiled = found.compiled.model_copy(update={"code_digest": code})
    told = found.model_copy(update={"compiled": compiled})
    board.record_verification(submission.id, job.id, told, NOW, same_as=same_as)
    return submission


def decided(
    board: Board, submission: Submission, verdict: Verdict, *, champion: int = 0, **fields: object
) -> None:
    told = benchmark(submission, verdict, champion=champion, generation=1 if champion else 0)
    job = running_benchmark(board, submission)
    assert board.record_benchmark(told.model_copy(update=fields), job.id, promote=None)


def asked(database: Database, board: Board, claim: Claim, text: str = "asked") -> Known:
    submission, _ = board.submit(claim.id, solution(text), (), NOW)
    return known(database, submission)


@pytest.fixture
def claim(board: Board, campaign: Campaign) -> Claim:
    return held(board, campaign)


ENDS = [
    # what was found, whether that is an end
    pytest.param(verification("w1"), False, id="right, not timed yet"),
    pytest.param(verification(w1=failed("RUNTIME_ERROR")), True, id="wrong"),
    pytest.param(verification(w1=failed("REWARD_HACK")), True, id="caught at a trick"),
    pytest.param(verification(w1=failed("TIMEOUT")), False, id="out of time"),
    pytest.param(verification(note="no GPU here"), False, id="not run"),
]


@pytest.mark.parametrize(("found", "ended"), ENDS)
def test_a_verification_answers_once_it_is_an_end(
    database: Database, board: Board, claim: Claim, found: Verification, ended: bool
) -> None:
    first = judged(board, claim, "first", found)

    assert asked(database, board, claim).by_code == ({CODE: first.id} if ended else {})


def test_the_same_source_of_another_agent_answers_too(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    first = judged(board, claim, "asked", verification(w1=failed("RUNTIME_ERROR")), code="")
    other = held(board, campaign, "fusion", "bob")

    assert asked(database, board, other) == Known(first.id, {})


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.PROMOTED])
def test_a_decision_answers(
    database: Database, board: Board, claim: Claim, verdict: Verdict
) -> None:
    first = judged(board, claim, "first", verification("w1"))
    evaluations = {"w1": failed("RUNTIME_ERROR")} if verdict is Verdict.REJECTED else {}
    decided(board, first, verdict, evaluations=evaluations)

    assert asked(database, board, claim).by_code == {CODE: first.id}


def test_who_ran_out_of_time_while_being_timed_is_judged_anew(
    database: Database, board: Board, claim: Claim
) -> None:
    first = judged(board, claim, "first", verification("w1"))
    late = failed("TIMEOUT")
    numbers = duel(first.solution.digest)
    lost = numbers.model_copy(update={"failures": (Judgement(workload="w1", evaluation=late),)})
    decided(
        board, first, Verdict.REJECTED, evaluations={"w1": late}, over_champion=lost,
        over_baseline=lost,
    )  # fmt: skip

    assert asked(database, board, claim) == NOTHING


def test_of_several_the_first_answers_and_none_that_was_answered_itself(
    database: Database, board: Board, claim: Claim
) -> None:
    wrong = verification(w1=failed("RUNTIME_ERROR"))
    answered = Verification(compiled=CompileReport(ok=True), judgements=(), note="as told")
    first = judged(board, claim, "first", wrong)
    judged(board, claim, "second", wrong)
    judged(board, claim, "third", answered, code=OTHER, same_as=first.id)

    assert asked(database, board, claim) == Known(0, {CODE: first.id})
    stored = views.submission(database, 3)
    assert stored is not None and stored.same_as == first.id
    assert stored.verification is not None and not stored.verification.passed


def test_what_was_revoked_answers_for_nobody(
    database: Database, board: Board, claim: Claim
) -> None:
    first = judged(board, claim, "first", verification(w1=failed("RUNTIME_ERROR")))
    board.revoke(first.id, "found out")

    assert asked(database, board, claim) == NOTHING


def test_who_lost_to_a_champion_that_was_revoked_is_judged_anew(
    database: Database, board: Board, claim: Claim
) -> None:
    champion = promoted(board, claim, "the champion")
    loser = judged(board, claim, "loser", verification("w1"))
    decided(board, loser, Verdict.REVERTED, champion=champion.id)
    assert asked(database, board, claim).by_code == {CODE: loser.id}

    board.revoke(champion.id, "found out")

    assert asked(database, board, claim) == NOTHING


def test_another_campaign_has_a_record_of_its_own(
    database: Database, board: Board, claim: Claim
) -> None:
    judged(board, claim, "first", verification(w1=failed("RUNTIME_ERROR")))
    elsewhere = held(board, start(board, "other"))

    assert asked(database, board, elsewhere, "first") == NOTHING
