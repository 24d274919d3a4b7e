"""A journal held to a real board: nothing lost passes, anything missing or different is named."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.ledger import check
from memory.board import Board
from memory.engine import Database, open_database
from memory.records import ClaimState
from tests.memory import builders as build


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(f"sqlite:///{tmp_path / 'board.db'}")
    yield opened
    opened.close()


@pytest.fixture
def told(database: Database) -> dict[str, dict[str, Any]]:
    """What an agent was told on the way to a promotion, by tool, and really happened."""
    board = Board(database)
    campaign = build.start(board)
    claim = build.claim(board, campaign)
    submission, job = board.submit(claim.id, build.solution(), (), build.NOW)
    board.start_job(job.id)
    board.record_verification(submission.id, job.id, build.passed(), build.NOW)
    conclusion = board.post_conclusion(
        claim.id, "trap", "note", "why", [submission.id], None, build.NOW
    )
    # Later ones must not hide it.
    board.post_conclusion(claim.id, "trap", "later", "", [submission.id], None, build.NOW)
    board.close_claim(claim.id, ClaimState.DONE, detail="", now_s=build.NOW)
    statuses = [{"status": j.evaluation.status} for j in build.passed().judgements]
    work = {"job_id": job.id, "submission_id": submission.id, "state": "done"}
    posted = {"seq": conclusion.seq, "kind": "trap", "submission_ids": [submission.id]}
    return {
        "claim_strategy": {"status": "granted", "claim_id": claim.id, "strategy": claim.strategy},
        "compile_and_verify": {**work, "verdict": "failed", "workloads": statuses},
        "post_conclusion": {"conclusion": posted},
        "release_claim": {"state": "done"},
    }


def entry(tool: str, reply: dict[str, Any], claim_id: str) -> dict[str, Any]:
    arguments = {"claim_id": claim_id, "outcome": "done"}
    facts = {"tool": tool, "reply": reply, "arguments": arguments, "refused": False}
    return {"agent": "ada", "event": "reply", **facts}


def entries(told: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    claim_id = told["claim_strategy"]["claim_id"]
    return [entry(tool, reply, claim_id) for tool, reply in told.items()]


def test_all_that_happened_is_found(database: Database, told: dict[str, dict[str, Any]]) -> None:
    ledger = check(entries(told), database)
    assert ledger.losses == []
    assert ledger.found == {
        "claims": 1, "jobs": 1, "submissions": 1, "ends of jobs": 1, "verdicts": 1,
        "conclusions": 1, "releases": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "change"),
    [
        pytest.param("claim_strategy", {"claim_id": "gone"}, id="a claim that is not there"),
        pytest.param("claim_strategy", {"strategy": "other"}, id="another strategy"),
        pytest.param("compile_and_verify", {"job_id": "gone"}, id="a job that is not there"),
        pytest.param("compile_and_verify", {"submission_id": 99}, id="a lost submission"),
        pytest.param("compile_and_verify", {"workloads": []}, id="another verdict"),
        pytest.param("compile_and_verify", {"decision": "promoted"}, id="a lost decision"),
        pytest.param(
            "post_conclusion",
            {"conclusion": {"seq": 99, "kind": "trap", "submission_ids": [1]}},
            id="a lost conclusion",
        ),
        pytest.param("release_claim", {"state": "abandoned"}, id="another end of the claim"),
    ],
)
def test_what_is_missing_or_different_is_a_loss(
    database: Database, told: dict[str, dict[str, Any]], tool: str, change: dict[str, Any]
) -> None:
    changed = entry(tool, {**told[tool], **change}, told["claim_strategy"]["claim_id"])
    assert len(check([changed], database).losses) == 1


def test_a_refusal_promises_nothing(database: Database) -> None:
    refused = {**entry("claim_strategy", {"code": "house_error"}, ""), "refused": True}
    assert check([refused], database).looked_up == 0
