"""Every stored decision comes out the same again, and a changed figure is seen."""

import json
import re
import sqlite3
from pathlib import Path

import pytest

from guard.domain.decision import Policy
from guard.domain.errors import UnknownProblem
from server.replay import DIFFERENT, SAME, print_replay
from server.revoke import revoke_submission
from server.settings import Settings
from tests.server.running import connected, serving

OFTEN = Policy(aa_every=2, planted_every=2, grand_every=2, lane_after=99)
SOURCES = ("gain 0.3", "gain 0.29", "gain 0.5 cheat", "gain 0.45", "gain -0.5")


@pytest.fixture
async def played(chosen: Settings) -> Settings:
    """A campaign with every kind of decision, a revocation, and the house's own duels."""
    async with serving(chosen, OFTEN) as running:
        async with connected(running) as agent:
            claim_id = await agent.claim()
            for source in SOURCES:
                await _benchmark(agent, claim_id, source)
        revoke_submission(chosen, 3, "it kept answers")
        async with connected(running) as agent:
            claim_id = await agent.claim(agent="bob")
            await _benchmark(agent, claim_id, "gain 0.5 cheat")
            await _benchmark(agent, claim_id, "gain 0.4 honest")
        await running.house.benches.named("cpu").pipeline.health.idle()
    return chosen


async def _benchmark(agent, claim_id: str, source: str) -> None:
    answer = await agent.submit(claim_id, source)
    await agent.call("benchmark", submission_id=answer["submission_id"])


def replayed(chosen: Settings, capsys) -> tuple[int, dict]:
    capsys.readouterr()
    status = print_replay(chosen, "", as_json=True)
    return status, json.loads(capsys.readouterr().out)


def change(chosen: Settings, table: str, column: str, was: str, now: str) -> None:
    """Change what is stored in the first row in which it is found."""
    file = sqlite3.connect(Path(chosen.db.removeprefix("sqlite:///")))
    for row, text in file.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
        changed = re.sub(was, now, str(text), count=1)
        if changed != str(text):
            file.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, row))
            break
    else:
        raise AssertionError(f"{was} is in no {table}.{column}")
    file.commit()
    file.close()


async def test_the_same_numbers_give_the_same_decisions(played: Settings, capsys):
    status, told = replayed(played, capsys)
    assert told["different"] == []
    assert (status, told["decisions"], told["same"]) == (SAME, 7, 7)
    assert told["health_duels"] >= 3
    print_replay(played, "double", as_json=False)
    assert "7 of 7 decisions come out the same" in capsys.readouterr().out


# One disturbed turn changes no median, and so no decision: all turns of a workload are changed.
LIST = r'"candidate_ms":\[[^]]+\]'
NO_CLOCKS = '"champion_conditions":[],"candidate_conditions":[]'
FAST, SLOW = (f"[{','.join([json.dumps({'sm_clock_mhz': at})] * 4)}]" for at in (1980, 1500))
CLOCKS = f'"champion_conditions":{FAST},"candidate_conditions":{SLOW}'
PASSES = '{"workload":"n64","impostor":"zeros","refused":"","required":true}'
TAMPERED = [
    # table, column, what is there, what is put there, part of what is told
    pytest.param("decision", "over_champion", LIST, '"candidate_ms":[0.9,0.9,0.9,0.9]',
                 "speedup over the champion", id="a time of the duel"),
    pytest.param("decision", "over_champion", re.escape(NO_CLOCKS), CLOCKS, "decision",
                 id="clocks of a duel"),
    pytest.param("decision", "decision", '"promoted"', '"reverted"', "decision", id="a verdict"),
    pytest.param("decision", "terms", r'"sigma":0\.\d+', '"sigma":0.5', "sigma", id="sigma"),
    pytest.param("decision", "terms", r'"alpha":[^,]+', '"alpha":0.5', "alpha", id="alpha"),
    pytest.param("decision", "terms", r'"number":1', '"number":900', "alpha", id="duel's number"),
    pytest.param("decision", "speedup", r"^.*$", "9.5", "speedup over the baseline",
                 id="the reported speedup"),
    pytest.param("decision", "derived", r"^0$", "1", "whether it is derived", id="the mark"),
    pytest.param("evaluation", "body", r'"speedup_factor":1', '"speedup_factor":2',
                 "evaluations", id="an evaluation"),
    pytest.param("evaluation", "body", r'"sandbox_grade":2', '"sandbox_grade":0',
                 "decision", id="the sandbox's grade"),
    pytest.param("revocation", "seq", r"^.*$", "99999", "decision", id="when it was revoked"),
    pytest.param("health", "body", LIST, '"candidate_ms":[0.9,0.9,0.9,0.9]',
                 "ratio", id="a time of an A/A duel"),
    pytest.param("health", "body", '"wrong":false', '"wrong":true', "fault", id="a fault"),
    pytest.param("campaign", "baseline", r'"probes":\[[^]]*\]', f'"probes":[{PASSES}]',
                 "decision", id="a wrong answer that passes"),
    pytest.param("campaign", "policy", '"min_pairs":3', '"min_pairs":4', "decision",
                 id="the policy"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "column", "was", "now", "part"), TAMPERED)
async def test_a_changed_figure_is_seen(
    played: Settings, capsys, table: str, column: str, was: str, now: str, part: str
):
    # Facts refer to each other; who tampers would not care.
    change(played, table, column, was, now)
    status, told = replayed(played, capsys)
    assert status == DIFFERENT
    assert any(d["what"].startswith(part) for d in told["different"]), told["different"]
    print_replay(played, "", as_json=False)
    assert "is stored as" in capsys.readouterr().out


async def test_what_an_earlier_version_decided_is_counted_apart(played: Settings, capsys):
    file = sqlite3.connect(Path(played.db.removeprefix("sqlite:///")))
    file.execute("UPDATE decision SET terms = NULL WHERE submission_id = 1")
    file.commit()
    file.close()
    status, told = replayed(played, capsys)
    assert (status, told["same"], told["of_an_earlier_version"]) == (SAME, 6, 1)


async def test_a_problem_without_a_campaign_is_refused(played: Settings):
    with pytest.raises(UnknownProblem):
        print_replay(played, "triple", as_json=False)
