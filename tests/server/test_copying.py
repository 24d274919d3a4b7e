"""A campaign as a file: the same rows on another board, and the same decisions out of them."""

import json
import sqlite3
from pathlib import Path

import pytest

from guard.domain.decision import Policy
from guard.domain.errors import BadValue, UnknownProblem
from memory import copies
from memory.base import Row
from memory.engine import read_database
from server import report
from server.campaign import move
from server.copying import export, take_in
from server.replay import SAME, print_replay
from server.revoke import revoke_submission
from server.settings import Settings
from tests.server.running import connected, serving

OFTEN = Policy(aa_every=2, planted_every=2, grand_every=2, lane_after=99)


async def play(chosen: Settings, sources: tuple[str, ...]) -> None:
    """A campaign with promotions, a revocation, conclusions and the house's own duels."""
    async with serving(chosen, OFTEN) as running, connected(running) as agent:
        claim_id, before = await agent.claim(), ()
        for source in sources:
            answer = await agent.submit(claim_id, source, builds_on=before)
            before = (answer["submission_id"],)
            await agent.call("benchmark", submission_id=before[0])
        told = {"kind": "win", "strategy_note": "n", "reflection": "r"}
        await agent.call("post_conclusion", claim_id=claim_id, submission_ids=[1], **told)
        await agent.submit(claim_id, "wrong")
        await agent.submit(claim_id, "hangs")
        bob = await agent.claim("bob", prefer="memory")
        await agent.submit(bob, sources[1])
        revoke_submission(chosen, 3, "it kept answers")
        await agent.submit(bob, "slow 9 gain 0.1", wait_s=0)
        await running.house.benches.named("cpu").pipeline.health.idle()


@pytest.fixture
async def played(chosen: Settings) -> Settings:
    await play(chosen, ("gain 0.3", "gain 0.29", "gain 0.5 cheat", "gain 0.45", "gain -0.5"))
    return chosen


@pytest.fixture
def other(chosen: Settings, tmp_path: Path) -> Settings:
    return chosen.with_options(db=f"sqlite:///{tmp_path / 'other.db'}")


@pytest.fixture
def copied(played: Settings, tmp_path: Path) -> Path:
    export(played, tmp_path / "copy.jsonl", "", 0)
    return tmp_path / "copy.jsonl"


def told(chosen: Settings, capsys) -> dict:
    capsys.readouterr()
    report.print_report(chosen, "", as_json=True)
    return json.loads(capsys.readouterr().out)


def replayed(chosen: Settings, capsys) -> dict:
    capsys.readouterr()
    assert print_replay(chosen, "", as_json=True) == SAME
    return json.loads(capsys.readouterr().out)


def test_a_copy_on_an_empty_board_is_the_campaign(
    played: Settings, other: Settings, copied: Path, capsys
):
    take_in(other, copied)
    assert "it is paused" in capsys.readouterr().out
    again = replayed(other, capsys)
    assert again == replayed(played, capsys)
    assert (again["decisions"], again["different"]) == (5, [])
    assert again["health_duels"] >= 3
    first, second = told(played, capsys), told(other, capsys)
    assert second["course"]["paused"]
    for part in ("champion", "speedup", "ledger", "lanes", "promotions", "wins", "revoked"):
        assert second[part] == first[part], part


async def test_a_copy_beside_another_campaign_is_renumbered(
    chosen: Settings, other: Settings, copied: Path, capsys
):
    await play(other, ("gain 0.2", "gain 0.25", "gain 0.6", "gain 0.61"))
    with pytest.raises(BadValue, match="another campaign goes on"):
        take_in(other, copied)
    report.end_campaign(other, "double")
    take_in(other, copied)
    found = replayed(other, capsys)
    assert (found["decisions"], found["different"]) == (9, [])
    first, second = told(chosen, capsys), told(other, capsys)
    shift = second["champion"]["submission_id"] - first["champion"]["submission_id"]
    assert shift > 0
    was, now = (found["promotions"][1]["submission_id"] for found in (first, second))
    assert now == was + shift
    assert second["wins"][0]["submission_ids"] == [1 + shift]
    assert second["exploration"]["redundancy"] == first["exploration"]["redundancy"]


async def test_work_goes_on_in_a_copy_once_it_is_resumed(other: Settings, copied: Path, capsys):
    take_in(other, copied)
    async with serving(other, OFTEN) as running, connected(running) as agent:
        refused = await agent.refused("claim_strategy", problem="double", agent="ada")
        move(other, "double", "resumed")
        answer = await agent.submit(await agent.claim(), "gain 0.7")
        timed = await agent.call("benchmark", submission_id=answer["submission_id"])
    assert refused["code"] == "campaign_paused"
    assert timed["decision"] == "promoted"


def test_jobs_that_were_open_are_lost_in_a_copy(other: Settings, copied: Path):
    take_in(other, copied)
    file = sqlite3.connect(Path(other.db.removeprefix("sqlite:///")))
    found = file.execute("SELECT reason FROM job WHERE state IN ('lost', 'queued')").fetchall()
    file.close()
    assert found == [(copies.COPIED,)]


def test_sources_are_copied_once_by_their_hash(copied: Path):
    rows = [json.loads(line) for line in copied.read_text().splitlines()[1:]]
    sources = [row["sha256"] for row in rows if row["table"] == "source"]
    assert len(set(sources)) == len(sources)
    bodies = [row["body"] for row in rows if row["table"] == "solution"]
    assert not any("gain 0.3" in body for body in bodies)


def changed(copied: Path, was: str, now: str) -> Path:
    text = copied.read_text()
    assert was in text
    copied.write_text(text.replace(was, now, 1))
    return copied


WRONG = [
    # what stands in the file, what is put there, what is said
    pytest.param('"content": "gain 0.3"', '"content": "gain 9.9"', "was changed", id="a source"),
    pytest.param('"kernelarc": "campaign"', '"kernelarc": "x"', "no copy of a campaign", id="head"),
    pytest.param('"format": 1', '"format": 99', "format 99", id="another version"),
    pytest.param('"table": "fact"', '"table": "token"', "no row of a campaign", id="a table"),
    pytest.param('"state": "done"', '"stat": "done"', "no row of a campaign", id="a column"),
    pytest.param('"table": "campaign"', '"table": ', "is no JSON", id="no JSON"),
    pytest.param('\\"verdict\\":\\"promoted\\"', '\\"verdict\\":\\"best\\"', "cannot be read",
                 id="a verdict"),
    pytest.param('"submission_id": 2', '"submission_id": 99', "do not fit together", id="nobody"),
]  # fmt: skip


@pytest.mark.parametrize(("was", "now", "said"), WRONG)
def test_a_copy_that_was_changed_leaves_nothing(
    other: Settings, copied: Path, was: str, now: str, said: str
):
    with pytest.raises(BadValue) as refused:
        take_in(other, changed(copied, was, now))
    assert said in refused.value.message
    database = read_database(other.db)
    with database.engine.connect() as connection:
        counts = {
            name: connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one()
            for name in Row.metadata.tables
        }
    database.close()
    assert set(counts.values()) == {0}


def test_half_a_copy_is_refused(other: Settings, copied: Path):
    copied.write_text("".join(copied.read_text().splitlines(keepends=True)[:1]))
    with pytest.raises(BadValue, match="no whole campaign"):
        take_in(other, copied)


def test_a_campaign_is_not_taken_in_twice(played: Settings, other: Settings, copied: Path):
    take_in(other, copied)
    for board in (other, played):
        with pytest.raises(BadValue, match="is on that board already"):
            take_in(board, copied)


def test_what_cannot_be_copied_is_refused(played: Settings, copied: Path, tmp_path: Path):
    with pytest.raises(BadValue, match="there already"):
        export(played, copied, "", 0)
    with pytest.raises(BadValue, match="no campaign 9"):
        export(played, tmp_path / "new", "", 9)
    with pytest.raises(UnknownProblem):
        export(played, tmp_path / "new", "triple", 0)
    with pytest.raises(BadValue, match="cannot be read"):
        take_in(played, tmp_path / "none")
