"""What an agent meets when it does something else than it claimed, over the server's own tools.

Whatever is handed in here is C++ without a call: `fusion.one-pass` is shown by that, and
`library.fused-op` is not.
"""

import asyncio
import json

import pytest

from guard.domain.decision import Policy
from server import report
from server.settings import Settings
from tests.server.running import Agent, Running, connected, serving

CLAIMED, REALLY = "library.fused-op", "fusion.one-pass"
POLICY = Policy(nudge_after=50, drafting_after=50, lane_after=50)


async def stray(agent: Agent, claim_id: str, *sources: str) -> dict[str, object]:
    """Hand in and time what is off the strategy; the last answer."""
    for source in sources:
        verified = await agent.submit(claim_id, source)
        assert str(verified["strategy"]).startswith(f"off strategy {CLAIMED}: no call of torch.*")
        timed = await agent.call("benchmark", submission_id=verified["submission_id"])
    return timed


async def test_an_agent_is_told_what_shows_its_strategy_and_that_it_was_seen(running: Running):
    async with connected(running) as agent:
        wanted = {"problem": "double", "agent": "ada", "prefer": REALLY}
        claim = await agent.call("claim_strategy", **wanted)
        assert claim["shown_by"] == "at most 1 kernel launches or written in cpp"
        verified = await agent.submit(claim["claim_id"], "gain 0.3")
        timed = await agent.call("benchmark", submission_id=verified["submission_id"])
        told = f"on strategy {REALLY}: written in cpp"
        assert verified["strategy"] == timed["strategy"] == told
        assert "claim_instead" not in timed
        (board,) = (await agent.call("read_board", problem="double"))["boards"]
        assert [row["adherence"] for row in board["leaderboard"]] == ["on strategy"]


async def test_after_two_strays_comes_a_nudge_and_the_third_is_refused(chosen: Settings):
    async with serving(chosen, POLICY) as running, connected(running) as agent:
        claim_id = await agent.claim(prefer=CLAIMED)
        assert "claim_instead" not in await stray(agent, claim_id, "gain 0.3")
        second = await stray(agent, claim_id, "gain 0.2")
        assert second["off_strategy"] == "2 benchmarked candidates in a row; number 3 is refused"
        assert len(second["claim_instead"]) == 3 and REALLY in second["claim_instead"]
        call = "`claim_strategy` with problem='double', agent='ada', device='cpu', prefer="
        assert call in second["next"]

        third = await agent.submit(claim_id, "gain 0.4")
        assert third["next"].startswith("A benchmark would be refused") and call in third["next"]
        timed_so_far = len(running.referee.finished)
        refused = await agent.refused("benchmark", submission_id=third["submission_id"])
        assert (refused["code"], refused["retryable"]) == ("off_strategy", False)
        assert call in refused["hint"]
        assert len(running.referee.finished) == timed_so_far
        # What was decided before is still answered.
        assert (await agent.call("job_wait", job_ids=[second["job_id"]]))["state"] == "done"
        again = await agent.call("benchmark", submission_id=second["submission_id"])
        assert again["job_id"] == second["job_id"]

        await it_goes_on_under_what_it_really_does(agent, claim_id, second["claim_instead"][0])


async def it_goes_on_under_what_it_really_does(agent: Agent, old: str, prefer: str) -> None:
    wanted = {"problem": "double", "agent": "ada", "prefer": prefer}
    claim = await agent.call("claim_strategy", **wanted)
    assert (claim["strategy"], claim["claim_id"] != old) == (prefer, True)
    closed = {"claim_id": old, "language": "cpp", "source": "gain 0.9"}
    assert (await agent.refused("compile_and_verify", **closed))["code"] == "claim_closed"
    again = await agent.submit(claim["claim_id"], "gain 0.4")
    assert again["strategy"].startswith(f"on strategy {prefer}: ")
    timed = await agent.call("benchmark", submission_id=again["submission_id"])
    assert timed["decision"] == "promoted"


async def test_a_promoted_stray_is_told_to_post_its_win_first(chosen: Settings):
    async with serving(chosen, POLICY) as running, connected(running) as agent:
        timed = await stray(agent, await agent.claim(prefer=CLAIMED), "gain 0.3", "gain 0.6")
        assert timed["decision"] == "promoted"
        assert timed["next"].startswith("Post it with `post_conclusion` (win). Follow ")


async def test_one_that_follows_is_benchmarked_at_any_time_and_begins_anew(chosen: Settings):
    async with serving(chosen, POLICY) as running, connected(running) as agent:
        claim_id = await agent.claim(prefer=CLAIMED)
        await stray(agent, claim_id, "gain 0.3", "gain 0.2")
        follows = await agent.submit(claim_id, "gain 0.1 torch.add(x, y)")
        assert follows["strategy"].startswith(f"on strategy {CLAIMED}: calls torch.*")
        await agent.call("benchmark", submission_id=follows["submission_id"])
        assert "claim_instead" not in await stray(agent, claim_id, "gain 0.15")


async def test_the_same_stray_many_times_counts_once(chosen: Settings):
    async with serving(chosen, POLICY) as running, connected(running) as agent:
        claim_id = await agent.claim(prefer=CLAIMED)
        for _ in range(5):
            timed = await stray(agent, claim_id, "gain 0.3")
            assert "claim_instead" not in timed


async def test_strays_sent_at_once_without_waiting_are_counted_as_they_come(chosen: Settings):
    async with serving(chosen, POLICY) as running, connected(running) as agent:
        claim_id = await agent.claim(prefer=CLAIMED)
        ids = [(await agent.submit(claim_id, f"gain 0.{n}"))["submission_id"] for n in range(1, 6)]
        asked = [
            agent.client.call_tool("benchmark", {"submission_id": id_, "wait_s": 0}) for id_ in ids
        ]
        answers = await asyncio.gather(*asked)
        assert sum(answer.is_error for answer in answers) == 3


async def test_in_drafting_something_else_is_asked_for_and_not_held_against_it(chosen: Settings):
    policy = POLICY.model_copy(
        update={"nudge_after": 1, "drafting_after": 1, "drafting_distance": 0, "cooldown": 0}
    )
    async with serving(chosen, policy) as running, connected(running) as agent:
        claim_id = await agent.claim(prefer=CLAIMED)
        timed = await stray(agent, claim_id, "gain 0.4", "gain 0.3", "gain 0.2", "gain 0.1")
        assert "off_strategy" not in timed


async def test_giving_the_strategy_back_and_taking_it_again_begins_nothing_anew(chosen: Settings):
    async with serving(chosen, POLICY) as running, connected(running) as agent:
        claim_id = await agent.claim(prefer=CLAIMED)
        await stray(agent, claim_id, "gain 0.3", "gain 0.2")
        await agent.call("release_claim", claim_id=claim_id, outcome="done")
        again = await agent.submit(await agent.claim(prefer=CLAIMED), "gain 0.4")
        refused = await agent.refused("benchmark", submission_id=again["submission_id"])
        assert refused["code"] == "off_strategy"


@pytest.mark.parametrize("prefer", ["", CLAIMED, "library"])
async def test_a_claim_is_kept_unless_something_else_is_asked_for(chosen: Settings, prefer: str):
    async with serving(chosen, POLICY) as running, connected(running) as agent:
        claim_id = await agent.claim(prefer=CLAIMED)
        assert await agent.claim(prefer=REALLY) == claim_id
        await stray(agent, claim_id, "gain 0.3", "gain 0.2")
        assert await agent.claim(prefer=prefer) == claim_id


async def test_who_follows_nothing_that_is_free_is_told_to_give_it_back(chosen: Settings):
    async with serving(chosen, POLICY) as running, connected(running) as agent:
        claim_id = await agent.claim(prefer=CLAIMED)
        number = 0
        while (await agent.call("claim_strategy", problem="double", agent=f"a{number}"))[
            "status"
        ] == "granted":
            number += 1
        timed = await stray(agent, claim_id, "gain 0.3", "gain 0.2")
        assert timed["claim_instead"] == []
        assert "`release_claim` and `claim_strategy` for another one" in timed["next"]


async def test_the_row_is_the_same_after_a_restart_and_the_report_tells_of_it(
    chosen: Settings, capsys
):
    async with serving(chosen, POLICY) as running, connected(running) as agent:
        claim_id = await agent.claim(prefer=CLAIMED)
        await stray(agent, claim_id, "gain 0.3", "gain 0.2")
    async with serving(chosen, POLICY) as running, connected(running) as agent:
        third = await agent.submit(claim_id, "gain 0.4")
        refused = await agent.refused("benchmark", submission_id=third["submission_id"])
        assert refused["code"] == "off_strategy"
    report.print_report(chosen, "", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert [(row["adherence"], row["seen"][:15]) for row in told["leaderboard"]] == [
        ("off strategy", "no call of torc"),
        ("off strategy", "no call of torc"),
    ]
    (claim,) = told["claims"]
    assert (claim["on_strategy"], claim["off_strategy"]) == (0, 2)
    report.print_report(chosen, "", as_json=False)
    text = capsys.readouterr().out
    assert f"{CLAIMED} (live), 0 on strategy, 2 off" in text
    assert f"cpp, {CLAIMED} (off strategy)" in text
