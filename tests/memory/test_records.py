import pytest

from guard.domain.decision import Policy
from memory.records import Campaign, ClaimState, JobState
from tests.memory.builders import problem

CHANGED = [
    # what is new about the problem, kind, hardware and Policy; whether the campaign goes on
    pytest.param({}, {}, True, id="nothing"),
    pytest.param({"folder": "elsewhere"}, {}, True, id="the place of its folder"),
    pytest.param({"baseline_source": "# faster"}, {}, False, id="its baseline.py"),
    pytest.param({"workloads": ()}, {}, False, id="its workloads"),
    pytest.param({"workloads": ()}, {"kind": "cpu"}, True, id="another kind's workloads"),
    pytest.param({}, {"hardware": "another gpu"}, False, id="the hardware"),
    pytest.param({}, {"policy": Policy(lane_after=9)}, False, id="the Policy"),
]


@pytest.mark.parametrize(("told", "here", "goes_on"), CHANGED)
def test_a_campaign_goes_on_while_its_figures_stay_comparable(
    campaign: Campaign, told: dict, here: dict, goes_on: bool
) -> None:
    now = {
        "kind": "nvidia", "hardware": campaign.hardware, "policy": campaign.policy, **here,
    }  # fmt: skip

    assert campaign.continues(problem().model_copy(update=told), **now) is goes_on


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
