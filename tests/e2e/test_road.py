"""The whole road on the CPU: a real server process, a real client over HTTP, a real compiler.

One long test, because its steps are one story; the clock of a shared machine decides nothing here,
so any verdict that the record bears out is fine.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.stage import ROOT, Server
from examples.team.connection import Connection, Reply
from examples.team.journal import Journal
from examples.team.plan import SOLUTIONS
from guard.domain.trace import HIDDEN

PROBLEM = "softmax_rows"
TIMED = ("promoted", "accepted", "reverted", "suspect")
RIGHT = (SOLUTIONS / PROBLEM / "compute/polynomial.cpp").read_text("utf-8")
WRONG = (SOLUTIONS / PROBLEM / "reduction/no_maximum.cpp").read_text("utf-8")
CRASHING = (SOLUTIONS / PROBLEM / "memory/aligned_rows.cpp").read_text("utf-8")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(str(tmp_path / "road.db"), tmp_path / "server.log", device="cpu") as running:
        yield running


class Walker:
    """A client that waits for jobs and expects no refusal unless told to."""

    def __init__(self, url: str, journal: Journal) -> None:
        self._connection = Connection(url, journal)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        reply = await self._connection.call(tool, **arguments)
        assert not reply.refused, reply.facts
        while reply.facts.get("state") in ("queued", "running"):
            reply = await self._connection.call("job_wait", job_ids=[reply.facts["job_id"]])
        return reply.facts

    async def refused(self, tool: str, **arguments: Any) -> str:
        reply: Reply = await self._connection.call(tool, **arguments)
        assert reply.refused, reply.facts
        assert {"code", "message", "retryable", "retry_after_s", "hint"} <= set(reply.facts)
        return reply.code

    async def claim(self, prefer: str) -> dict[str, Any]:
        while True:
            given = await self.call(
                "claim_strategy", problem=PROBLEM, prefer=prefer, agent="walker", device="cpu"
            )
            if given["status"] == "granted":
                return given


@pytest.fixture
def walker(server: Server, tmp_path: Path) -> Iterator[Walker]:
    journal = Journal(tmp_path / "walker.jsonl", "walker")
    yield Walker(server.url, journal)
    journal.close()


async def test_the_whole_road_and_nothing_of_it_is_lost_in_a_kill(
    server: Server, walker: Walker
) -> None:
    await _look_around(walker)
    claim = await walker.claim("compute")
    assert claim["lane"] == "compute"
    assert (await walker.claim(""))["claim_id"] == claim["claim_id"]

    mine = {"claim_id": claim["claim_id"], "language": "cpp"}
    wrong = await _hand_in_what_fails(walker, mine)
    right = await walker.call("compile_and_verify", **mine, source=RIGHT)
    assert [w["status"] for w in right["workloads"]] == ["PASSED"] * len(right["workloads"])
    assert len(_listed(right)) == 3 < len(right["workloads"])
    again = await walker.call("compile_and_verify", **mine, source=RIGHT)
    assert again["submission_id"] == right["submission_id"]
    timed = await walker.call("benchmark", submission_id=right["submission_id"])
    assert timed["decision"] in TIMED
    seq = await _conclude(walker, claim["claim_id"], wrong)

    _a_second_server_is_refused(server)
    server.kill()
    server.start()

    (board,) = (await walker.call("read_board", problem=PROBLEM))["boards"]
    assert [c["seq"] for c in board["conclusions"]] == [seq]
    assert [c["strategy"] for c in board["live_claims"]] == [claim["strategy"]]
    kept = await walker.call("job_wait", job_ids=[timed["job_id"]])
    assert (kept["decision"], kept["reason"]) == (timed["decision"], timed["reason"])
    solution = await walker.call("get_solution", submission_id=right["submission_id"])
    assert RIGHT.startswith(solution["untrusted_source"][:1000])

    released = await walker.call("release_claim", claim_id=claim["claim_id"], outcome="done")
    assert released["state"] == "done"
    late = await walker.refused("compile_and_verify", **mine, source=RIGHT + "\n")
    assert late == "claim_closed"
    _the_report_says_the_same(server, timed["decision"])


def _listed(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """What was said of listed workloads, without hidden shapes."""
    return [w for w in answer["workloads"] if not w["workload"].startswith(HIDDEN)]


async def _look_around(walker: Walker) -> None:
    listed = await walker.call("get_problem")
    assert PROBLEM in [entry["problem"] for entry in listed["problems"]]
    shown = await walker.call("get_problem", problem=PROBLEM)
    assert "cpp" in [entry["language"] for entry in shown["languages"]]
    assert await walker.refused("get_problem", problem="softmax_row") == "unknown_problem"
    assert await walker.refused("get_problem", problme=PROBLEM) == "unknown_argument"


async def _hand_in_what_fails(walker: Walker, mine: dict[str, Any]) -> int:
    """A crashing and a wrong solution; the wrong one's submission id."""
    crashed = await walker.call("compile_and_verify", **mine, source=CRASHING)
    assert "RUNTIME_ERROR" in {w["status"] for w in crashed["workloads"]}
    wrong = await walker.call("compile_and_verify", **mine, source=WRONG)
    # On a hidden shape of one column it may be right.
    assert {w["status"] for w in _listed(wrong)} == {"INCORRECT_NUMERICAL"}
    assert await walker.refused("benchmark", submission_id=wrong["submission_id"]) == "not_verified"
    return int(wrong["submission_id"])


async def _conclude(walker: Walker, claim_id: str, wrong: int) -> int:
    """A founded trap and an unfounded win about the same submission; the trap's number."""
    about = {
        "claim_id": claim_id,
        "strategy_note": "#no-maximum overflows",
        "reflection": "Keep the maximum.",
        "submission_ids": [wrong],
    }
    told = await walker.call("post_conclusion", **about, kind="trap")
    assert await walker.refused("post_conclusion", **about, kind="win") == "unfounded_conclusion"
    return int(told["conclusion"]["seq"])


def _a_second_server_is_refused(server: Server) -> None:
    command = [sys.executable, "-m", "server", "serve", "--db", server.db, "--port", "0"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode != 0
    assert f"pid {server.pid}" in ran.stderr


def _the_report_says_the_same(server: Server, decision: str) -> None:
    command = [sys.executable, "-m", "server", "report", "--db", server.db, "--json"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    report = json.loads(ran.stdout)
    assert report["campaign"]["problem"] == PROBLEM
    assert bool(report["champion"]["submission_id"]) == (decision == "promoted")
    assert "#no-maximum overflows" in ran.stdout
