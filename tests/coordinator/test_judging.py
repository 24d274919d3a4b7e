"""Verify, or answer from the record: only what came to an end is answered."""

import pytest

from guard.domain.errors import RefereeLost
from guard.domain.trace import CompileReport
from memory import views
from memory.records import JobState
from tests.coordinator.road import Road
from tests.guard.duels import failed, verification, wrong

LOST = RefereeLost("cpu", "it was killed")
CODE = CompileReport(ok=True, code_digest="c" * 64)


@pytest.mark.parametrize(("text", "orders", "same"), [("", 1, "source"), ("x", 2, "machine code")])
async def test_what_was_judged_before_is_answered_from_the_record(
    road: Road, text: str, orders: int, same: str
):
    road.referee.verdict = verification(w=wrong()).model_copy(update={"compiled": CODE})
    first = road.hand_in(road.claim(), 0.1)
    await road.pipeline.verify(first)
    second = road.hand_in(road.claim("bob", "memory.other"), 0.1, text)

    await road.pipeline.verify(second)

    answered = views.submission(road.database, second.submission_id)
    assert answered is not None and answered.verification is not None
    assert answered.same_as == first.submission_id
    told = f"the same {same} as submission 1 by ada: failed its verification (INCORRECT_NUMERICAL)"
    assert answered.verification.note.startswith(told)
    assert (answered.verification.judgements, answered.verification.passed) == ((), False)
    assert len(road.referee.orders) == orders
    assert road.state(second)[0] is JobState.DONE


async def test_what_was_not_decided_yet_is_judged_again(road: Road):
    road.referee.verdict = verification("w").model_copy(update={"compiled": CODE})
    first = road.hand_in(road.claim(), 0.1)
    await road.pipeline.verify(first)
    second = road.hand_in(road.claim("bob", "memory.other"), 0.1)

    await road.pipeline.verify(second)

    judged = views.submission(road.database, second.submission_id)
    assert judged is not None and judged.verification == road.referee.verdict
    assert judged.same_as == 0


async def test_what_ran_out_of_time_is_verified_again_under_its_claim(road: Road):
    claim = road.claim()
    road.referee.verdict = verification(w=failed("TIMEOUT"))
    first = road.hand_in(claim, 0.1)
    await road.pipeline.verify(first)
    road.referee.verdict = verification("w")

    second = road.hand_in(claim, 0.1)
    await road.pipeline.verify(second)

    judged = views.submission(road.database, first.submission_id)
    assert (second.submission_id, second.id != first.id) == (first.submission_id, True)
    assert judged is not None and judged.verification == road.referee.verdict


async def test_a_lost_verification_is_queued_anew(road: Road):
    claim = road.claim()
    road.referee.answers = [LOST, LOST]
    first = road.hand_in(claim, 0.1)
    with pytest.raises(RefereeLost):
        await road.pipeline.verify(first)

    second = road.hand_in(claim, 0.1)
    await road.pipeline.verify(second)

    judged = views.submission(road.database, first.submission_id)
    assert second.id != first.id
    assert judged is not None and judged.verification == road.referee.verdict
