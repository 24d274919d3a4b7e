"""What agents are shown of each other's conclusions, through a real server."""

import dataclasses
import json
from itertools import pairwise

import pytest

from guard.domain.decision import Policy, Retention
from guard.ports import DeviceIdentity
from memory import course
from memory.board import Board
from server.answers import LIMIT
from server.settings import Settings
from tests.server.fakes import CPU, FakeDevice, FakeExecutor, plugins
from tests.server.running import Agent, Running, connected, serving

NOW = 1_000.0
BOB = "memory.resident-row"


async def post(agent: Agent, claim_id: str, kind: str, note: str, submission_id: int) -> int:
    told = {"kind": kind, "strategy_note": note, "reflection": f"because of {note}"}
    answer = await agent.call(
        "post_conclusion", claim_id=claim_id, submission_ids=[submission_id], **told
    )
    return int(answer["conclusion"]["seq"])


async def worked(agent: Agent) -> str:
    """Ada's claim, with a promoted submission 1 and a wrong submission 2."""
    ada = await agent.claim()
    await agent.submit(ada, "gain 0.3")
    await agent.call("benchmark", submission_id=1)
    await agent.submit(ada, "wrong")
    return ada


async def stuck(agent: Agent, claim_id: str) -> dict:
    """The answer to a second candidate that is slower than the first."""
    for gain in (0.1, -0.3):
        handed_in = await agent.submit(claim_id, f"gain {gain}")
        answer = await agent.call("benchmark", submission_id=handed_in["submission_id"])
    return answer


async def board(agent: Agent, **asked: object) -> dict:
    [only] = (await agent.call("read_board", problem="double", **asked))["boards"]
    return only


def notes(told: list[dict]) -> list[str]:
    return [one["untrusted_note"] for one in told]


RETAINED = [
    # retention, what ada and bob are shown of ada's, what of it a nudge repeats to bob
    pytest.param(Retention.NONE, [], [], [], id="none"),
    pytest.param(
        Retention.PRIVATE, ["one pass", "newer trap", "older trap"], [], [], id="private"
    ),
    pytest.param(
        Retention.BOUNDED, ["one pass", "newer trap"], ["one pass", "newer trap"], ["newer trap"],
        id="bounded",
    ),
    pytest.param(
        Retention.UNBOUNDED, ["one pass", "newer trap", "older trap"],
        ["one pass", "newer trap", "older trap"], ["newer trap", "older trap"], id="unbounded",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("retention", "own", "others", "traps"), RETAINED)
async def test_retention_decides_what_board_claim_and_nudge_show(
    chosen: Settings, retention, own, others, traps
):
    policy = Policy(retention=retention, kept=1, nudge_after=1)
    async with serving(chosen, policy) as running, connected(running) as agent:
        ada = await worked(agent)
        await post(agent, ada, "win", "one pass", 1)
        await post(agent, ada, "trap", "older trap", 2)
        await post(agent, ada, "trap", "newer trap", 2)

        bob = await agent.call("claim_strategy", problem="double", agent="bob", prefer=BOB)
        assert notes(bob["lessons"]) == others
        assert notes((await board(agent, claim_id=ada))["conclusions"]) == own
        assert notes((await board(agent, claim_id=bob["claim_id"]))["conclusions"]) == others

        nudged = await stuck(agent, bob["claim_id"])
        assert notes(nudged["traps"]) == traps
        assert nudged["untried"]
        drafts = await board(agent, claim_id=bob["claim_id"])
        assert drafts["untried"] == nudged["untried"]
        assert notes(drafts["conclusions"]) == [*traps, *(o for o in others if o not in traps)]


async def test_without_a_claim_nobody_knows_whose_conclusions_are_private(chosen: Settings):
    private = Policy(retention=Retention.PRIVATE)
    async with serving(chosen, private) as running, connected(running) as agent:
        await post(agent, await worked(agent), "trap", "a trap", 2)
        found = await board(agent)
        assert found["conclusions"] == [] and "claim_id" in found["memory"]


async def test_who_polls_misses_nothing_however_much_is_new(running: Running):
    async with connected(running) as agent:
        ada = await worked(agent)
        writer = Board(running.house.database)
        for lane in range(40):
            writer.claim(
                1, strategy=f"crowd.{lane}", lane="crowd", token="local", agent=f"a{lane}",
                reason="free", lease_s=1e9, now_s=NOW,
            )  # fmt: skip
        first = await agent.call("read_board", problem="double", claim_id=ada)
        posted = []
        for number in range(70):
            kind, speedup = ("win", 1.1) if number % 3 else ("trap", None)
            text = '"quoted"\n' * 130 if number % 2 else "short"
            note = f"n{number} m{number}"
            made = writer.post_conclusion(ada, kind, note, text, [1], speedup, NOW)
            posted.append(made.seq)

        read, since, calls = [], first["seq"], 0
        while True:
            answer = await agent.call("read_board", problem="double", claim_id=ada, since=since)
            assert len(json.dumps(answer, ensure_ascii=False)) <= LIMIT
            assert not any("conclusions" in cut for cut in answer.get("shortened", ()))
            [only] = answer["boards"]
            if not only["conclusions"]:
                break
            kinds = [c["kind"] for c in only["conclusions"]]
            assert kinds == sorted(kinds, key=["win", "trap"].index)
            read.append([c["seq"] for c in only["conclusions"]])
            assert all(c["untrusted_reflection"].count("quoted") in (0, 130)
                       for c in only["conclusions"])  # fmt: skip
            since, calls = answer["seq"], calls + 1

        assert sorted(seq for page in read for seq in page) == posted
        assert all(max(page) < min(later) for page, later in pairwise(read))
        assert answer["seq"] >= posted[-1] and calls > 3


class TwoDevices(FakeDevice):
    """A host with two of them."""

    def found(self) -> tuple[DeviceIdentity, ...]:
        return CPU, dataclasses.replace(CPU, name="cpu:1")


async def test_one_cursor_serves_the_boards_of_all_devices(chosen: Settings):
    executor = FakeExecutor()
    installed = dataclasses.replace(plugins(executor), devices={"cpu": TwoDevices()})
    async with (
        serving(chosen, installed=installed) as running,
        connected(running) as agent,
    ):
        claims = [await agent.claim(name, device=name) for name in ("cpu", "cpu:1")]
        for number, claim_id in enumerate(claims, 1):
            await agent.submit(claim_id, f"wrong {number}")
        since = (await agent.call("read_board", problem="double"))["seq"]
        writer = Board(running.house.database)
        posted = [
            writer.post_conclusion(
                claims[number % 3 // 2], "trap", f"n{number} m{number}", "r" * 900, [1], None, NOW
            ).seq
            for number in range(12)
        ]
        read = []
        while read[-12:] != posted:
            answer = await agent.call("read_board", problem="double", since=since)
            assert [one["device"] for one in answer["boards"]] == ["cpu", "cpu:1"]
            page = [c["seq"] for one in answer["boards"] for c in one["conclusions"]]
            assert page and min(page) > since
            read, since = read + sorted(page), answer["seq"]
        assert read == posted


async def test_a_budget_takes_the_most_useful_and_the_rest_is_found_by_its_words(running: Running):
    async with connected(running) as agent:
        ada = await worked(agent)
        writer = Board(running.house.database)
        for number in range(40):
            note = f"n{number} m{number} spills"
            writer.post_conclusion(ada, "trap", note, "r" * 400, [2], None, NOW)
        await post(agent, ada, "win", "one pass", 1)

        small, large = [
            (await board(agent, claim_id=ada, budget=tokens))["conclusions"]
            for tokens in (150, 1500)
        ]
        assert notes(small) == ["one pass"]
        assert 5 < len(large) < 20 and notes(large)[:2] == ["one pass", "n39 m39 spills"]

        answer = await agent.call(
            "read_board", problem="double", words="the M7 spill", since=3, claim_id=ada
        )
        assert answer["boards"][0]["conclusions"] == []
        answer = await agent.call("read_board", problem="double", words="spill M7!", since=3)
        assert notes(answer["boards"][0]["conclusions"]) == ["n7 m7 spills"]
        assert answer["seq"] == 3 and "since=3" in answer["next"]


async def test_a_conclusion_carries_what_the_record_says(running: Running):
    async with connected(running) as agent:
        ada = await worked(agent)
        await post(agent, ada, "win", "wide loads gain much", 1)
        trap = await post(agent, ada, "trap", "wide loads lose much", 2)
        await post(agent, ada, "trap", "Wide loads lose much!", 2)

        win, lost = (await board(agent, claim_id=ada))["conclusions"]

        assert win["measured"] == (
            "submission 1; cpp on a cpu; speedups 1.35 at N=64, 1.35 at N=128; machine code: ffma"
        )
        assert lost["measured"] == "submission 2; cpp on a cpu"
        assert (lost["seq"], lost["told"]) == (trap, "2 times")
        [beside], [back] = win["contradicted_by"], lost["contradicted_by"]
        assert (beside["seq"], beside["submission_ids"]) == (trap, [2])
        assert (back["seq"], back["speedup_over_baseline"]) == (win["seq"], 1.35)
        Board(running.house.database).revoke(1, "it cheats")
        lost, win = sorted((await board(agent))["conclusions"], key=lambda c: c["kind"])
        assert "submission 1 was revoked" in win["overturned"]
        assert "submission 1 was revoked" in lost["contradicted_by"][0]["overturned"]


async def test_what_a_claim_or_a_nudge_showed_is_noted_as_read(chosen: Settings):
    async with serving(chosen, Policy(nudge_after=1)) as running, connected(running) as agent:
        ada = await worked(agent)
        first = await post(agent, ada, "trap", "one trap", 2)
        bob = await agent.claim("bob", prefer=BOB)
        second = await post(agent, ada, "trap", "another lesson", 2)
        assert course.read_by(running.house.database, bob) == {first}
        await stuck(agent, bob)
        assert course.read_by(running.house.database, bob) == {first, second}


async def test_another_agents_claim_cannot_be_read_under(running: Running):
    async with connected(running) as agent:
        await agent.claim()
        refused = await agent.refused("read_board", problem="double", claim_id="c_other")
        assert refused["code"] == "unknown_claim"


async def test_a_post_of_megabytes_is_refused_calmly(running: Running):
    async with connected(running) as agent:
        ada = await worked(agent)
        told = {"claim_id": ada, "kind": "trap", "submission_ids": [2]}
        for note, reflection in (("x" * 1_000_000, "r"), ("n", "x" * 1_000_000)):
            refused = await agent.refused(
                "post_conclusion", **told, strategy_note=note, reflection=reflection
            )
            assert refused["code"] == "bad_value" and len(str(refused)) < 1_000
        assert (await board(agent))["conclusions"] == []
        refused = await agent.refused("read_board", problem="double", words="x" * 1_000_000)
        assert refused["code"] == "bad_value"
