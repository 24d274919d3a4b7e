"""Phases of assignment, walked by real clients: explore, refine, combine, per shape."""

import json
from typing import Any

from guard.domain.decision import Policy
from server import report
from server.settings import Settings
from tests.server.running import Agent, connected, serving

POLICY = Policy(explore_lanes=2, off_strategy_nudge=99, off_strategy_limit=99, lane_after=99,
                drafting_after=98)  # fmt: skip
"""Two lanes are enough to have explored; these sources show no strategy and need not differ."""


Told = dict[str, Any]


async def claimed(agent: Agent, name: str, **more: Any) -> Told:
    return await agent.call("claim_strategy", problem="double", agent=name, **more)


async def timed(agent: Agent, claim: Told, *sources: str) -> list[int]:
    """Have candidates benchmarked; their submissions."""
    found = []
    for source in sources:
        verified = await agent.submit(claim["claim_id"], source)
        await agent.call("benchmark", submission_id=verified["submission_id"])
        found.append(verified["submission_id"])
    return found


async def release(agent: Agent, claim: Told) -> None:
    await agent.call("release_claim", claim_id=claim["claim_id"], outcome="done")


async def explored(agent: Agent) -> tuple[Told, Told, list[int]]:
    """Distinct lanes, and a win in each."""
    ada, bob = await claimed(agent, "ada"), await claimed(agent, "bob")
    assert (ada["phase"], bob["phase"]) == ("explore", "explore")
    assert ada["lane"] != bob["lane"]
    assert ada["why"].startswith(f"Explore: nobody has tried lane {ada['lane']!r}")
    won = await timed(agent, ada, "gain 0.3") + await timed(agent, bob, "gain 0.2")
    await release(agent, ada)
    await release(agent, bob)
    return ada, bob, won


async def combined(agent: Agent, ada: Told, bob: Told, won: list[int]) -> Told:
    """Both wins in one strategy that names them."""
    both = await claimed(agent, "ada")
    parts = sorted((ada["strategy"], bob["strategy"]))
    assert both["phase"] == both["lane"] == "combine"
    assert both["strategy"] == f"combine.{'+'.join(parts)}"
    assert [one["submission_id"] for one in both["combines"]] == won
    assert [one["strategy"] for one in both["made_of"]] == parts
    ids = " and ".join(map(str, won))
    assert both["why"].startswith(f"Combine: submissions {ids} won in different lanes")
    assert "Read submissions 1, 2 with `get_solution`" in both["next"]
    return both


async def refined(agent: Agent) -> tuple[Told, Told]:
    """Depth, which is owed before the claim is exchanged, whatever is wished."""
    deep = await claimed(agent, "bob")
    assert (deep["phase"], deep["why"].partition(":")[0]) == ("refine", "Refine")
    await timed(agent, deep, "gain 0.21")
    await release(agent, deep)
    again = await claimed(agent, "bob", prefer="library")
    assert again["strategy"] == deep["strategy"]
    assert "you left it after 1 of 3 benchmarked candidates" in again["why"]
    return deep, again


async def dispatched(agent: Agent, owners: list[int]) -> tuple[Told, int]:
    """The dispatch between the champion and who leads it on one workload."""
    dispatch = await claimed(agent, "bob")
    assert dispatch["phase"] == dispatch["lane"] == "per-shape"
    assert [one["submission_id"] for one in dispatch["combines"]] == owners
    assert "are each the fastest on some workloads" in dispatch["why"]
    (built,) = await timed(agent, dispatch, "gain 0.45 gain-n64 0.25")
    return dispatch, built


async def test_a_team_walks_through_all_phases_and_the_report_tells_why(chosen: Settings, capsys):
    async with serving(chosen, POLICY) as running, connected(running) as agent:
        ada, bob, won = await explored(agent)
        both = await combined(agent, ada, bob, won)
        deep, again = await refined(agent)
        (whole,) = await timed(agent, both, "gain 0.45")
        split = "gain 0.4 gain-n64 0.3 gain-n128 -0.3"
        *_, small = await timed(agent, again, "gain 0.22", split)
        await release(agent, again)
        await release(agent, both)
        dispatch, built = await dispatched(agent, [whole, small])

    capsys.readouterr()
    report.print_report(chosen, "", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["champion"]["submission_id"] == built
    assert [(c["phase"], c["why"]) for c in told["claims"]] == [
        (c["phase"], c["why"]) for c in (ada, bob, both, deep, again, dispatch)
    ]
    assert told["claims"][-1]["parents"] == [whole, small]
    report.print_report(chosen, "", as_json=False)
    text = capsys.readouterr().out
    assert "Why they got it:" in text and "bob (unverified): Per shape: submissions" in text


async def test_a_wish_that_does_not_exist_is_answered_with_the_nearest_names(chosen: Settings):
    async with serving(chosen, POLICY) as running, connected(running) as agent:
        wish = {"problem": "double", "agent": "ada", "prefer": "memory.vectorloads"}
        refused = await agent.refused("claim_strategy", **wish)
        assert refused["code"] == "bad_value"
        assert "'memory.vector-loads'" in refused["message"] + str(refused["hint"])
        early = await claimed(agent, "ada", prefer="combine")
        assert early["phase"] == "explore"
        assert early["why"].startswith("You asked for 'combine', but the record holds nothing")
