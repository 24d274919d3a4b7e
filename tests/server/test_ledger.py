"""A report's ledger, from calls of real clients to its text."""

import json

import pytest

from guard.domain.decision import Policy
from server import report
from server.settings import Settings
from tests.server.running import connected, serving


@pytest.fixture
async def told(chosen: Settings, capsys) -> tuple[dict, str]:
    """The report of two agents' campaign that came to its limit."""
    async with serving(chosen, Policy(max_candidates=4)) as running, connected(running) as agent:
        ada, bob = await agent.claim(), await agent.claim("bob", prefer="memory.resident-row")
        await agent.submit(ada, "gain 0.3")
        await agent.call("benchmark", submission_id=1)
        told = {"kind": "win", "strategy_note": "it helps", "reflection": "r"}
        await agent.call("post_conclusion", claim_id=ada, submission_ids=[1], **told)
        await agent.submit(bob, "broken")
        await agent.submit(bob, "broken", wait_s=1)
        await agent.submit(bob, "gain 0.3")
        await agent.submit(bob, "gain 0.5", builds_on=[1])
        await agent.call("benchmark", submission_id=4)
        left = {"model": "a model", "tokens": 1200, "cost_usd": 0.25}
        await agent.call("release_claim", claim_id=bob, outcome="done", **left)
    capsys.readouterr()
    report.print_report(chosen, "", as_json=True)
    facts = json.loads(capsys.readouterr().out)
    report.print_report(chosen, "", as_json=False)
    return facts, capsys.readouterr().out


def test_the_ledger_tells_cost_and_outcome_of_every_agent(told):
    facts, text = told
    ada, bob = facts["ledger"]["agents"]
    assert (ada["outcomes"], ada["candidates"]) == ({"promoted": 1}, 1)
    assert bob["outcomes"] == {"promoted": 1, "compile_error": 1, "from_record": 1}
    # Three process pairs at least, and two against the baseline, of a quarter second each.
    assert (ada["compile_s"], ada["wait_s"]) == (1, 0.5)
    assert ada["device_s"] >= 2 + 5 * 0.25
    assert (bob["models"], bob["tokens"], bob["cost_usd"]) == (["a model"], 1200, 0.25)
    # The baseline, and six A/A pairs before the first duel.
    assert facts["ledger"]["house"]["device_s"] == 8 + 6 * 0.25
    spent = facts["ledger"]["spent"]["device_s"]
    assert spent == ada["device_s"] + bob["device_s"] + 8 + 6 * 0.25
    assert "a model, 1,200 tokens, 0.25 $" in text


def test_the_report_tells_how_widely_the_team_looked(told):
    facts, text = told
    found = facts["exploration"]
    assert (found["redundancy"], found["lanes"], found["strategies"]) == (0.25, 2, 2)
    assert found["best"]["submission_id"] == 4
    assert found["best"]["gain_per_device_s"] > 0
    assert {lane["lane"] for lane in facts["lanes"]} == {"fusion", "memory"}
    assert "25% answered from the record" in text
    assert len(text.splitlines()) <= 50


def test_the_report_tells_where_promotions_came_from(told):
    facts, text = told
    own, shared = facts["promotions"]
    assert (own["cited_conclusions"], own["forced"]) == ([], "")
    assert [c["agent"] for c in shared["cited_conclusions"]] == ["ada"]
    assert "submission 4 by bob, memory.resident-row: grew from what ada's win" in text
    assert "submission 1 by ada, fusion.one-pass: its agent's own road" in text


def test_the_report_tells_that_the_campaign_was_stopped(told):
    facts, text = told
    assert facts["course"]["stopped"] == "max_candidates: 4 of 4 candidates"
    assert facts["course"]["limits"]["max_candidates"] == 4
    assert "STOPPED at its limit, max_candidates: 4 of 4 candidates" in text


async def test_what_an_agent_was_shown_is_noted_once_and_told(chosen: Settings, capsys):
    async with serving(chosen) as running, connected(running) as agent:
        ada, bob = await agent.claim(), await agent.claim("bob", prefer="memory.resident-row")
        await agent.submit(ada, "gain 0.1")
        told = {"kind": "trap", "strategy_note": "it hurts", "reflection": "r"}
        await agent.submit(ada, "wrong")
        await agent.call("post_conclusion", claim_id=ada, submission_ids=[2], **told)
        for _ in range(2):
            await agent.call("read_board", problem="double", claim_id=bob)
        await agent.call("read_board", problem="double")
        refused = await agent.refused("read_board", problem="double", claim_id="c_none")
        await agent.submit(bob, "gain 0.4")
        await agent.call("benchmark", submission_id=3)
    capsys.readouterr()
    report.print_report(chosen, "", as_json=True)
    [origin] = json.loads(capsys.readouterr().out)["promotions"]
    report.print_report(chosen, "", as_json=False)
    assert [c["agent"] for c in origin["read_conclusions"]] == ["ada"]
    assert origin["cited_conclusions"] == []
    assert "had read ada's trap" in capsys.readouterr().out
    assert refused["code"] == "unknown_claim"
