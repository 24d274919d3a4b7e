"""`kernelarc revoke` beside a running server: the board, its readers and the report hear of it."""

import json

import pytest

from guard.domain.errors import BadValue, UnknownSubmission
from server import report
from server.revoke import revoke_submission
from server.settings import Settings
from tests.server.running import connected, serving

REASON = "it kept answers between calls"
LESSON = {"strategy_note": "kept sums", "reflection": "they repeat"}


async def test_a_champion_is_revoked_beside_a_running_server(chosen: Settings, capsys):
    async with serving(chosen) as running, connected(running) as agent:
        claim_id = await agent.claim()
        for number, source in ((1, "gain 0.2"), (2, "gain 0.6")):
            await agent.submit(claim_id, source)
            promoted = await agent.call("benchmark", submission_id=number)
            assert promoted["decision"] == "promoted"
        cites = {"claim_id": claim_id, "submission_ids": [2], **LESSON}
        await agent.call("post_conclusion", kind="win", **cites)
        seq = (await agent.call("read_board", problem="double"))["seq"]

        revoke_submission(chosen, 2, REASON)
        assert "Champion: submission 1 from now on." in capsys.readouterr().out
        revoke_submission(chosen, 2, "another reason")
        said = capsys.readouterr().out
        assert f"revoked already: {REASON}" in said and "submission 1 as before" in said

        (news,) = (await agent.call("read_board", problem="double", since=seq))["boards"]
        assert [(r["submission_id"], r["reason"]) for r in news["revoked"]] == [(2, REASON)]
        assert news["champion"]["submission_id"] == 1
        assert [s["submission_id"] for s in news["leaderboard"]] == [1]
        (board,) = (await agent.call("read_board", problem="double"))["boards"]
        assert "submission 2" in board["conclusions"][0]["overturned"]
        (device,) = (await agent.call("get_problem", problem="double"))["devices"]
        assert device["champion"]["submission_id"] == 1
        told = await agent.call("job_wait", job_ids=[promoted["job_id"]])
        assert told["revoked"] == REASON and "champion" not in told["next"]
        log = await agent.call("get_solution", submission_id=2, part="log")
        assert REASON in log["untrusted_log"]
        refused = await agent.refused("post_conclusion", kind="win", **cites | {"reflection": "so"})
        assert refused["code"] == "unfounded_conclusion"
        await agent.call("post_conclusion", kind="trap", **cites)

        await agent.submit(claim_id, "gain 0.4")
        assert (await agent.call("benchmark", submission_id=3))["decision"] == "promoted"
    _the_report_tells(chosen, capsys)


def _the_report_tells(chosen: Settings, capsys) -> None:
    capsys.readouterr()
    report.print_report(chosen, "", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["champion"]["submission_id"] == 3
    assert [(r["submission_id"], r["reason"]) for r in told["revoked"]] == [(2, REASON)]
    assert "submission 2" in told["wins"][0]["overturned"]
    report.print_report(chosen, "", as_json=False)
    text = capsys.readouterr().out
    assert f"submission 2 by ada: {REASON}" in text
    assert "OVERTURNED (do not rely on it: submission 2 was revoked" in text


UNUSABLE = [
    # submission, reason, error
    pytest.param(7, REASON, UnknownSubmission, id="no such submission"),
    pytest.param(1, "", BadValue, id="no reason"),
    pytest.param(1, " \n ", BadValue, id="a blank reason"),
    pytest.param(1, "x" * 301, BadValue, id="too long a reason"),
]


@pytest.mark.parametrize(("submission_id", "reason", "error"), UNUSABLE)
async def test_what_cannot_be_revoked_is_refused(
    chosen: Settings, submission_id: int, reason: str, error: type[Exception]
):
    async with serving(chosen):
        pass
    with pytest.raises(error):
        revoke_submission(chosen, submission_id, reason)


def test_a_mistyped_database_is_not_made(chosen: Settings, tmp_path):
    with pytest.raises(BadValue, match="no database"):
        revoke_submission(chosen, 1, REASON)
    assert not (tmp_path / "board.db").exists()


async def test_what_was_answered_by_a_revoked_record_can_be_judged_itself(chosen: Settings):
    async with serving(chosen) as running, connected(running) as agent:
        bob, ada = await agent.claim("bob"), await agent.claim("ada")
        first = await agent.submit(bob, "gain -0.3 code 5")
        await agent.call("benchmark", submission_id=first["submission_id"])
        copy = await agent.submit(ada, "gain -0.3 code 5 renamed")
        assert "Nothing was run again" in copy["next"]
        revoke_submission(chosen, first["submission_id"], REASON)

        again = await agent.submit(ada, "gain -0.3 code 5 renamed")
        assert again["submission_id"] == copy["submission_id"]
        assert "judged itself" in again["next"]
        anew = await agent.submit(ada, "gain -0.3 code 5 renamed, with a comment")
        assert anew["verdict"] == "correct on all 2 workloads"
