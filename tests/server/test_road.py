"""Every tool once, along the road of one agent, through a real client."""

import json
import re

import pytest
from mcp.shared.exceptions import MCPError

from guard.domain.decision import Policy
from server.answers import LIMIT
from server.settings import Settings
from tests.server.running import Agent, Running, connected, serving


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_agent_walks_the_whole_road(running: Running, mode: str):
    async with connected(running, mode=mode) as agent:
        listed = await agent.call("get_problem")
        assert [p["problem"] for p in listed["problems"]] == ["double"]
        shown = await agent.call("get_problem", problem="double")
        assert "return 2 * x" in shown["reference"]
        claim = await agent.call("claim_strategy", problem="double", agent="Ada")
        assert (claim["status"], claim["agent"]) == ("granted", "ada")
        verified = await agent.submit(claim["claim_id"], "gain 0.3 first")
        assert verified["verdict"] == "correct on all 2 workloads"
        timed = await agent.call("benchmark", submission_id=verified["submission_id"])
        assert timed["decision"] == "promoted"
        assert timed["speedup_over_baseline"].startswith("1.35")
        wrong = await agent.submit(claim["claim_id"], "wrong", builds_on=[1])
        assert [w["status"] for w in wrong["workloads"]] == ["PASSED", "INCORRECT_NUMERICAL"]
        narrow = await agent.submit(claim["claim_id"], "narrow", builds_on=[1])
        assert narrow["verdict"] == "failed on 1 of 4 workloads and hidden shapes judged"
        await conclude_and_read(agent, claim["claim_id"])

        waited = await agent.call("job_wait", job_ids=[verified["job_id"], timed["job_id"]])
        assert [job["state"] for job in waited["jobs"]] == ["done", "done"]
        ended = await agent.call("job_cancel", job_id=timed["job_id"])
        assert ended["cancelled"] is False
        claimed = {"claim_id": claim["claim_id"]}
        released = await agent.call("release_claim", **claimed, outcome="done", tokens=9)
        assert released["state"] == "done"


async def test_an_agent_sees_how_far_the_speed_of_light_is(running: Running):
    async with connected(running) as agent:
        claim = await agent.call("claim_strategy", problem="double", agent="Ada")
        [device] = (await agent.call("get_problem", problem="double"))["devices"]
        assert [w["bound_ms"] for w in device["workloads"]] == [0.25, 0.25]
        assert {w["bound_by"] for w in device["workloads"]} == {"memory"}
        assert {w["bound_fraction"] for w in device["workloads"]} == {0.25}
        verified = await agent.submit(claim["claim_id"], "gain 0.3 first")
        timed = await agent.call("benchmark", submission_id=verified["submission_id"])
        for workload in timed["workloads"]:
            reached = workload["bound_ms"] / workload["latency_ms"]
            assert workload["bound_fraction"] == pytest.approx(reached, rel=1e-3)


async def conclude_and_read(agent: Agent, claim_id: str) -> None:
    for kind, ids in (("win", [1]), ("trap", [2])):
        told = {"kind": kind, "strategy_note": f"a {kind}", "reflection": "because"}
        posted = await agent.call("post_conclusion", claim_id=claim_id, submission_ids=ids, **told)
        assert posted["conclusion"]["kind"] == kind
    board = await agent.call("read_board", problem="double")
    [only] = board["boards"]
    assert [c["untrusted_note"] for c in only["conclusions"]] == ["a win", "a trap"]
    assert only["champion"]["submission_id"] == 1
    assert len(only["live_claims"]) == 1
    newer = await agent.call("read_board", problem="double", since=board["seq"])
    assert newer["boards"][0]["conclusions"] == []
    source = await agent.call("get_solution", submission_id=1)
    assert source["untrusted_source"] == "gain 0.3 first"
    resources = await agent.call("get_solution", submission_id=1, part="resources")
    assert "32 registers" in resources["untrusted_resources"]
    evidence = await agent.call("get_solution", submission_id=1, part="evidence")
    assert "9 instructions: tensor core 0, ffma 4" in evidence["untrusted_evidence"]


async def test_what_ran_out_of_time_is_judged_anew(running: Running):
    async with connected(running) as agent:
        claim_id = await agent.claim()
        first = await agent.submit(claim_id, "hangs")
        assert [w["status"] for w in first["workloads"]] == ["PASSED", "TIMEOUT"]
        assert "judged anew" in first["next"]
        second = await agent.submit(claim_id, "hangs")
        assert second["submission_id"] == first["submission_id"]
        assert second["job_id"] != first["job_id"]
        told = {"kind": "trap", "strategy_note": "it hangs", "reflection": "because"}
        ids = [first["submission_id"]]
        refused = await agent.refused(
            "post_conclusion", claim_id=claim_id, submission_ids=ids, **told
        )
        assert refused["code"] == "unfounded_conclusion"


async def test_the_same_machine_code_is_answered_from_the_record(running: Running):
    async with connected(running) as agent:
        bob = await agent.claim("bob")
        first = await agent.submit(bob, "gain -0.3 code 5")
        assert first["verdict"] == "correct on all 2 workloads"
        ada = await agent.claim("ada")
        early = await agent.submit(ada, "gain -0.3 code 5 renamed")
        assert early["verdict"] == "correct on all 2 workloads"
        decided = await agent.call("benchmark", submission_id=first["submission_id"])
        assert decided["decision"] == "reverted"

        late = await agent.submit(ada, "gain -0.3 code 5 renamed again")
        same = await agent.submit(ada, "gain -0.3 code 5")
        for answer in (
            late,
            same,
            await agent.call("benchmark", submission_id=early["submission_id"]),
            await agent.call("benchmark", submission_id=late["submission_id"]),
        ):
            assert answer["verdict"] == "answered from the record"
            assert answer["same_as"]["submission_id"] == first["submission_id"]
            assert answer["same_as"]["by"] == "bob (unverified)"
            assert answer["same_as"]["decision"] == "reverted"
            assert "by bob: reverted, 0.74" in answer["note"]
        assert late["note"].startswith("the same machine code as submission 1 ")
        assert same["note"].startswith("the same source as submission 1 ")
        log = await agent.call("get_solution", submission_id=late["submission_id"], part="log")
        assert "the same machine code as submission 1 by bob" in log["untrusted_log"]
        board = await agent.call("read_board", problem="double")
        listed = [row["submission_id"] for row in board["boards"][0]["leaderboard"]]
        assert listed == [first["submission_id"]]


async def test_a_champions_copy_is_not_promoted(running: Running):
    async with connected(running) as agent:
        bob = await agent.claim("bob")
        first = await agent.submit(bob, "gain 0.3 code 5")
        assert (await agent.call("benchmark", submission_id=1))["decision"] == "promoted"
        copy = await agent.submit(await agent.claim("ada"), "gain 0.3 code 5 renamed")
        assert copy["same_as"]["decision"] == "promoted"
        again = await agent.call("benchmark", submission_id=copy["submission_id"])
        assert again["same_as"] == copy["same_as"]
        told = await agent.call("get_problem", problem="double")
        assert told["devices"][0]["champion"]["submission_id"] == first["submission_id"]
        assert told["devices"][0]["champion"]["generation"] == 1


async def test_text_and_structured_content_say_the_same_and_fit(running: Running):
    async with connected(running) as agent:
        claim_id = await agent.claim()
        await agent.submit(claim_id, "gain 0.3 " + "x" * 20_000)
        for tool, arguments in (
            ("get_problem", {"problem": "double"}),
            ("get_solution", {"submission_id": 1}),
            ("claim_strategy", {"problem": "double", "agent": "bob"}),
        ):
            result = await agent.client.call_tool(tool, arguments)
            text = result.content[0].text
            assert len(text) <= LIMIT
            assert len(json.dumps(result.structured_content)) <= LIMIT
            assert "next" in result.structured_content
            for leaf in leaves(result.structured_content):
                assert all(line in text for line in str(leaf).split("\n"))


def leaves(value):
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    elif isinstance(value, str):
        yield value


async def test_a_solution_is_read_in_ranges(running: Running):
    async with connected(running) as agent:
        claim_id = await agent.claim()
        source = "gain 0.3 " + "".join(f"line {n}\n" for n in range(2_000))
        await agent.submit(claim_id, source)
        parts, offset = [], 0
        while True:
            answer = await agent.call("get_solution", submission_id=1, offset=offset)
            parts.append(answer["untrusted_source"])
            offset = answer["next_offset"]
            if not offset:
                break
        assert "".join(parts) == source


async def test_the_same_solution_again_gives_the_same_submission_and_job(running: Running):
    async with connected(running) as agent:
        claim_id = await agent.claim()
        first = await agent.submit(claim_id, "gain 0.1")
        second = await agent.submit(claim_id, "gain 0.1")
        assert (first["job_id"], first["submission_id"]) == (
            second["job_id"],
            second["submission_id"],
        )


async def test_a_failed_compile_shows_messages_without_control_characters(running: Running):
    async with connected(running) as agent:
        answer = await agent.submit(await agent.claim(), "broken")
        assert answer["verdict"] == "does not compile"
        assert answer["untrusted_compiler_messages"] == "error: expected ';'"


async def test_a_refusal_is_one_line_of_evidence_and_a_hint_refuses_nothing(running: Running):
    async with connected(running) as agent:
        claim_id = await agent.claim()
        refused = await agent.submit(claim_id, "forbidden")
        assert refused["verdict"] == "refused before it was compiled"
        told = "refused: odd-rule, does something odd (main.cpp:3)"
        assert {w["status"] for w in refused["workloads"]} == {"REWARD_HACK"}
        assert {w["untrusted_log"] for w in refused["workloads"]} == {told}
        hinted = await agent.submit(claim_id, "odd gain 0.3")
        assert hinted["verdict"] == "correct on all 2 workloads"
        assert hinted["untrusted_hints"] == ["odd-rule, does something odd (main.cpp:3)"]
        log = await agent.call("get_solution", submission_id=2, part="log")
        assert "Hint: odd-rule" in log["untrusted_log"]


async def test_a_plateau_forces_another_lane(chosen: Settings):
    async with (
        serving(chosen, Policy(lane_after=2, cooldown=0)) as running,
        connected(running) as agent,
    ):
        wanted = {"problem": "double", "agent": "ada", "prefer": "fusion.one-pass"}
        first = await agent.call("claim_strategy", **wanted)
        for gain in (0.3, 0.1, 0.05):
            verified = await agent.submit(first["claim_id"], f"gain {gain}")
            timed = await agent.call("benchmark", submission_id=verified["submission_id"])
        assert timed["plateau"].startswith("reached: 2 of 2")
        again = await agent.call("benchmark", submission_id=verified["submission_id"])
        assert again["job_id"] == timed["job_id"]
        refused = await agent.refused(
            "compile_and_verify", claim_id=first["claim_id"], language="cpp", source="gain 0.9"
        )
        assert refused["code"] == "claim_closed"
        second = await agent.call("claim_strategy", problem="double", agent="ada")
        assert second["lane"] != first["lane"]


async def test_in_drafting_the_same_idea_again_is_refused_before_it_costs_anything(
    chosen: Settings,
):
    policy = Policy(nudge_after=1, drafting_after=2, cooldown=0)
    async with serving(chosen, policy) as running, connected(running) as agent:
        claim_id = await agent.claim()
        stages = []
        for gain in (0.3, 0.1, 0.05):
            verified = await agent.submit(claim_id, f"gain {gain}")
            timed = await agent.call("benchmark", submission_id=verified["submission_id"])
            stages.append(timed["plateau"].rpartition("; ")[2])
        assert stages[1:] == ["nudge", "drafting"]
        assert timed["traps"] == [] and timed["untried"]
        refused = await agent.refused(
            "compile_and_verify", claim_id=claim_id, language="cpp", source="gain 0.9"
        )
        assert refused["code"] == "too_similar"
        assert "your own submission 1, the champion" in refused["message"]
        again = await agent.submit(claim_id, "gain 0.05")
        assert again["submission_id"] == verified["submission_id"]
        loop = "for (long i = 0; i < n; ++i) y[i] = x[i];"
        run = f"void run(const float* x, float* y, long n) {{ {loop} }}"
        passed = await agent.submit(claim_id, f"gain 0.9 ;\n{run}")
        assert passed["verdict"].startswith("correct")


async def test_agents_hold_different_strategies_and_busy_is_no_error(running: Running):
    async with connected(running) as agent:
        held = set()
        for number in range(200):
            answer = await agent.call("claim_strategy", problem="double", agent=f"agent {number}")
            if answer["status"] == "busy":
                break
            held.add(answer["strategy"])
        assert answer["retry_after_s"] > 0
        assert len(held) == number
        assert answer["held"]


async def test_resources_offer_guides_and_problem_files(running: Running):
    async with connected(running) as agent:
        guides = await agent.client.read_resource("kernelarc://guides")
        first = guides.contents[0].text.splitlines()[0].removeprefix("- ")
        guide = await agent.client.read_resource(first)
        assert guide.contents[0].text.startswith("#")
        claimed = await agent.call("claim_strategy", problem="double", agent="ada")
        uris = [playbook["read"] for playbook in claimed["playbooks"]]
        assert uris == ["kernelarc://guides/cpu-vector"]
        assert uris[0] in guides.contents[0].text
        contents = (await agent.client.read_resource(uris[0])).contents[0].text
        for uri in re.findall(r"kernelarc://\S+", contents):
            step = await agent.client.read_resource(uri)
            assert step.contents[0].text.startswith("## ")
        with pytest.raises(MCPError, match="No such step"):
            await agent.client.read_resource(f"{uris[0]}/gone")
        files = await agent.client.read_resource("kernelarc://problems")
        assert "kernelarc://problems/double/reference.py" in files.contents[0].text
        reference = await agent.client.read_resource("kernelarc://problems/double/reference.py")
        assert "return 2 * x" in reference.contents[0].text
