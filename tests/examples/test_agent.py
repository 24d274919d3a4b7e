"""The agent's choices, with the server's answers scripted here and everything else real."""

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.team.agent import ATTEMPTS, Agent
from examples.team.connection import Reply
from examples.team.journal import Journal, JournalReader
from examples.team.plan import Plan

Facts = dict[str, Any]
Answer = Callable[[Facts], Facts]
JUDGED = [{"workload": "a", "status": "PASSED"}]


class Server:
    """Answers by tool; everything asked is kept."""

    def __init__(self, **answers: Answer) -> None:
        self.asked: list[tuple[str, Facts]] = []
        self._claims = 0
        self._answers: dict[str, Answer] = {
            "get_problem": lambda _: {},
            "read_board": lambda _: {"seq": 1, "boards": []},
            "claim_strategy": self._claim,
            "compile_and_verify": self._verify,
            "benchmark": lambda asked: timed("accepted"),
            "post_conclusion": lambda asked: {"posted": True},
            "release_claim": lambda asked: {"released": True},
            **answers,
        }

    async def call(self, tool: str, **arguments: Any) -> Reply:
        self.asked.append((tool, arguments))
        facts = self._answers[tool](arguments)
        return Reply(facts, "code" in facts)

    def calls(self, tool: str) -> list[Facts]:
        return [arguments for name, arguments in self.asked if name == tool]

    def _claim(self, asked: Facts) -> Facts:
        self._claims += 1
        lane = asked["prefer"] or "memory"
        return {"status": "granted", "claim_id": f"claim-{self._claims}", "lane": lane}

    def _verify(self, asked: Facts) -> Facts:
        return verified(len(self.calls("compile_and_verify")))


def verified(submission: int, **more: Any) -> Facts:
    facts = {"job_id": f"v{submission}", "submission_id": submission, "state": "done"}
    return {**facts, "verdict": "correct", "workloads": JUDGED, **more}


def timed(decision: str, **more: Any) -> Facts:
    speedups = {
        "speedup_over_baseline": "2 (1.9 to 2.1)",
        "speedup_over_champion": "1 (0.9 to 1.1)",
    }
    return {"job_id": "b", "state": "done", "decision": decision, **speedups, **more}


def one(name: str, **more: Any) -> Facts:
    return {"file": f"{name}.cpp", "note": name, "expect": "correct", "tags": [name[-1]], **more}


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    journals = []
    for name in ("compute/a", "compute/b", "memory/c"):
        source = tmp_path / f"{name}.cpp"
        source.parent.mkdir(exist_ok=True)
        source.write_text(f"source of {name}")

    async def run(server: Server, lanes: Facts, *prefer: str, seconds: float = 0) -> list[Facts]:
        seats = [{"agent": "ada", "prefer": prefer}]
        given = {"problem": "p", "language": "cpp", "seats": seats, "lane": lanes}
        plan = Plan.model_validate(given)
        journal = Journal(tmp_path / "log" / "ada.jsonl", "ada")
        journals.append(journal)
        agent = Agent(server, journal, plan, tmp_path, plan.seat(0), seconds=seconds)
        await agent.work()
        return list(JournalReader(tmp_path / "log").news())

    yield run
    for journal in journals:
        journal.close()


async def test_each_step_reads_the_board_and_each_claim_is_given_back(work: Any) -> None:
    server = Server()
    lanes = {"compute": [one("compute/a"), one("compute/b")], "memory": [one("memory/c")]}
    await work(server, lanes, "compute", "memory")
    tools = [tool for tool, _ in server.asked]
    step = ["read_board", "compile_and_verify", "benchmark"]
    assert tools == [
        "get_problem",
        "claim_strategy", *step, *step, "release_claim",
        "claim_strategy", *step, "release_claim",
    ]  # fmt: skip
    assert [asked["since"] for asked in server.calls("read_board")] == [0, 1, 1]
    assert {asked["outcome"] for asked in server.calls("release_claim")} == {"done"}


async def test_a_candidate_that_a_trap_covers_is_passed_over(work: Any) -> None:
    trap = {"kind": "trap", "untrusted_note": "#a: overflows", "untrusted_reflection": ""}
    win = {"kind": "win", "untrusted_note": "#b: fast", "untrusted_reflection": ""}
    board = {"seq": 5, "boards": [{"conclusions": [trap, win]}]}
    server = Server(read_board=lambda _: board)
    entries = await work(server, {"compute": [one("compute/a"), one("compute/b")]}, "compute")
    sources = [asked["source"] for asked in server.calls("compile_and_verify")]
    assert sources == ["source of compute/b"]
    passed_over = [e for e in entries if e["event"] == "passed over"]
    assert [(e["candidate"], e["reason"]) for e in passed_over] == [("compute/a", "trap #a")]


async def test_a_wrong_candidate_is_not_benchmarked_but_told_as_a_trap(work: Any) -> None:
    wrong = [{"workload": "a", "status": "RUNTIME_ERROR", "untrusted_log": "signal 11"}]
    server = Server(compile_and_verify=lambda _: verified(7, workloads=wrong))
    await work(server, {"compute": [one("compute/a")]}, "compute")
    assert server.calls("benchmark") == []
    (told,) = server.calls("post_conclusion")
    assert (told["kind"], told["submission_ids"]) == ("trap", [7])


async def test_a_promotion_is_told_as_a_win(work: Any) -> None:
    server = Server(benchmark=lambda _: timed("promoted"))
    await work(server, {"compute": [one("compute/a")]}, "compute")
    (told,) = server.calls("post_conclusion")
    assert (told["kind"], told["submission_ids"]) == ("win", [1])


async def test_a_job_that_comes_back_is_waited_for(work: Any) -> None:
    states = deque(["running", "done"])
    server = Server(
        benchmark=lambda _: {"job_id": "b9", "state": "queued"},
        job_wait=lambda asked: {**timed("accepted"), "job_id": "b9", "state": states.popleft()},
    )
    await work(server, {"compute": [one("compute/a")]}, "compute")
    assert [asked["job_ids"] for asked in server.calls("job_wait")] == [["b9"], ["b9"]]


async def test_a_lost_job_is_asked_for_again_within_bounds(work: Any) -> None:
    server = Server(benchmark=lambda _: {"job_id": "b", "state": "lost", "reason": "restart"})
    entries = await work(server, {"compute": [one("compute/a")]}, "compute")
    assert len(server.calls("benchmark")) == ATTEMPTS
    assert [e["reason"] for e in entries if e["event"] == "passed over"] == ["restart"]


@pytest.mark.parametrize("how", ["the benchmark says so", "the next call is refused"])
async def test_a_plateau_ends_the_claim_and_the_next_wish_follows(work: Any, how: str) -> None:
    reached = timed("reverted", plateau="reached: 8 of 8 candidates; another lane")
    refused = {"code": "claim_closed", "message": "ended at its plateau"}
    server = (
        Server(benchmark=lambda _: reached)
        if how == "the benchmark says so"
        else Server(compile_and_verify=lambda _: refused)
    )
    lanes = {"compute": [one("compute/a"), one("compute/b")], "memory": [one("memory/c")]}
    await work(server, lanes, "compute", "memory")
    assert [asked["prefer"] for asked in server.calls("claim_strategy")] == ["compute", "memory"]
    sources = [asked["source"] for asked in server.calls("compile_and_verify")]
    assert sources == ["source of compute/a", "source of memory/c"]
    assert server.calls("release_claim") == []


async def test_the_lane_that_was_given_counts_not_the_one_wished_for(work: Any) -> None:
    given = {"status": "granted", "claim_id": "c", "lane": "memory"}
    server = Server(claim_strategy=lambda _: given)
    await work(server, {"compute": [one("compute/a")], "memory": [one("memory/c")]}, "compute")
    assert [a["source"] for a in server.calls("compile_and_verify")] == ["source of memory/c"]


async def test_a_file_that_was_deleted_is_passed_over_and_the_rest_goes_on(work: Any) -> None:
    server = Server()
    lanes = {"compute": [one("compute/gone"), one("compute/b")]}
    entries = await work(server, lanes, "compute")
    assert len(server.calls("compile_and_verify")) == 1
    assert [e["reason"] for e in entries if e["event"] == "passed over"] == ["no such file"]


async def test_what_it_builds_on_is_named_by_submission(work: Any) -> None:
    server = Server()
    lanes = {"compute": [one("compute/a"), one("compute/b", builds_on=["compute/a.cpp"])]}
    await work(server, lanes, "compute")
    assert [asked["builds_on"] for asked in server.calls("compile_and_verify")] == [[], [1]]


async def test_nothing_new_is_begun_when_the_time_is_over(work: Any) -> None:
    server = Server()
    lanes = {"compute": [one("compute/a")], "memory": [one("memory/c")]}
    await work(server, lanes, "compute", "memory", seconds=1e-9)
    assert [tool for tool, _ in server.asked] == ["get_problem", "claim_strategy", "release_claim"]
    assert server.calls("release_claim")[0]["outcome"] == "abandoned"
