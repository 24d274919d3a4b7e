"""A campaign that is stopped at a limit, or paused: every agent is told, and nothing is lost."""

import pytest

from guard.domain.decision import Policy
from guard.domain.errors import BadValue, UnknownProblem
from server import report
from server.campaign import move
from server.settings import Settings
from tests.server.running import connected, serving

TWO = Policy(max_candidates=2)
STOP = "STOP: the campaign on 'double' and 'cpu' has reached max_candidates: 2 of 2 candidates."


async def test_a_reached_limit_is_told_to_every_agent_in_every_answer(chosen: Settings, capsys):
    async with serving(chosen, TWO) as running, connected(running) as agent:
        ada, bob = await agent.claim(), await agent.claim("bob", prefer="memory")
        await agent.submit(ada, "gain 0.3")
        before = await agent.call("benchmark", submission_id=1)
        last = await agent.submit(bob, "gain 0.2")
        work = {"language": "cpp", "source": "gain 0.4"}
        refused = [
            await agent.refused("compile_and_verify", claim_id=ada, **work),
            await agent.refused("claim_strategy", problem="double", agent="carol"),
        ]
        # What was handed in within the limit is still decided.
        late = await agent.call("benchmark", submission_id=2)
        told = [
            last, late,
            await agent.call("read_board", problem="double"),
            await agent.call("get_problem", problem="double"),
            await agent.call("get_solution", submission_id=1),
            await agent.call("job_wait", job_ids=[last["job_id"]]),
            await agent.call("job_cancel", job_id=last["job_id"]),
            await agent.call("post_conclusion", claim_id=ada, kind="win", strategy_note="n",
                             reflection="r", submission_ids=[1]),
            await agent.call("release_claim", claim_id=ada, outcome="done", tokens=7),
        ]  # fmt: skip
        wrong = await agent.refused("benchmark", submission_id=99)
        elsewhere = await agent.call("get_problem")
    assert "STOP" not in before
    assert "STOP" not in elsewhere
    for answer in told:
        assert next(iter(answer)) == "STOP"
        assert answer["STOP"].startswith(STOP)
        assert "Champion: submission 1, 1.35 times" in answer["STOP"]
        assert "and stop." in answer["STOP"]
    assert [answer["code"] for answer in refused] == ["campaign_stopped"] * 2
    assert all(answer["message"].startswith(STOP) for answer in refused)
    assert (late["decision"], wrong["code"]) == ("reverted", "unknown_submission")


async def test_a_refusal_for_another_reason_says_stop_too(chosen: Settings):
    async with serving(chosen, TWO) as running, connected(running) as agent:
        claim_id = await agent.claim()
        for source in ("wrong", "gain 0.1"):
            await agent.submit(claim_id, source)
        refused = await agent.refused("benchmark", submission_id=1)
    assert refused["code"] == "not_verified"
    assert STOP in refused["hint"]


async def test_another_campaign_begins_once_an_operator_ends_a_stopped_one(chosen: Settings):
    async with serving(chosen, Policy(max_candidates=1)) as running, connected(running) as agent:
        claim_id = await agent.claim()
        await agent.submit(claim_id, "gain 0.1")
        await agent.refused("claim_strategy", problem="double", agent="bob")
        report.end_campaign(chosen, "double")
        again = await agent.submit(await agent.claim(agent="bob"), "wrong")
    assert again["STOP"]


async def test_a_paused_campaign_loses_nothing(chosen: Settings, capsys):
    async with serving(chosen) as running, connected(running) as agent:
        claim_id = await agent.claim()
        begun = await agent.submit(claim_id, "slow 0.5 gain 0.3", wait_s=0)
        move(chosen, "double", "paused", "the room\nis cleaned")
        work = {"language": "cpp", "source": "gain 0.4"}
        refused = [
            await agent.refused("compile_and_verify", claim_id=claim_id, **work),
            await agent.refused("claim_strategy", problem="double", agent="bob"),
        ]
        ended = await agent.call("job_wait", job_ids=[begun["job_id"]])
        refused.append(await agent.refused("benchmark", submission_id=1))
        board = await agent.call("read_board", problem="double")
        move(chosen, "", "resumed")
        again = await agent.submit(claim_id, "gain 0.4")
        timed = await agent.call("benchmark", submission_id=1)
    for answer in refused:
        assert (answer["code"], answer["retryable"]) == ("campaign_paused", True)
        assert answer["retry_after_s"] > 0
        assert "is paused: the room is cleaned." in answer["message"]
    assert (ended["state"], ended["paused"], board["paused"]) == (
        "done",
        board["paused"],
        ended["paused"],
    )
    assert "paused" not in again
    assert timed["decision"] == "promoted"
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "Campaign 1 (double on cpu) is paused; jobs under way finish.",
        "Campaign 1 (double on cpu) goes on.",
    ]


async def test_pausing_twice_changes_nothing(chosen: Settings, capsys):
    async with serving(chosen) as running, connected(running) as agent:
        await agent.claim()
        for kind in ("paused", "paused", "resumed", "resumed"):
            move(chosen, "", kind)
    said = [line.partition(") ")[2] for line in capsys.readouterr().out.splitlines()]
    assert said == [
        "is paused; jobs under way finish.",
        "was paused already.",
        "goes on.",
        "was not paused.",
    ]


async def test_what_is_not_there_cannot_be_paused(chosen: Settings):
    async with serving(chosen) as running, connected(running) as agent:
        with pytest.raises(BadValue, match="no campaign goes on"):
            move(chosen, "", "paused")
        await agent.claim()
        with pytest.raises(UnknownProblem):
            move(chosen, "triple", "paused")
        with pytest.raises(BadValue, match="at most 300"):
            move(chosen, "double", "paused", "long " * 99)
