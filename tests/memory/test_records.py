import pytest

from memory.records import ClaimState, JobState


@pytest.mark.parametrize("state", [s for s in ClaimState if s is not ClaimState.LIVE], ids=str)
def test_a_claim_that_ended_stays_as_it_is(state: ClaimState) -> None:
    assert not any(state.may_become(other) for other in ClaimState)


def test_a_live_claim_may_end_in_any_way() -> None:
    assert {s for s in ClaimState if ClaimState.LIVE.may_become(s)} == {
        s for s in ClaimState if s is not ClaimState.LIVE
    }


@pytest.mark.parametrize("state", [JobState.DONE, JobState.CANCELLED, JobState.LOST], ids=str)
def test_a_job_that_ended_stays_as_it_is(state: JobState) -> None:
    assert not any(state.may_become(other) for other in JobState)


def test_a_job_goes_back_to_the_queue_only_from_running() -> None:
    assert [s for s in JobState if s.may_become(JobState.QUEUED)] == [JobState.RUNNING]
    assert [s for s in JobState if s.may_become(JobState.RUNNING)] == [JobState.QUEUED]
