"""Every error answer has one shape and says what to do."""

import pytest

from memory import views
from server.errors import facts, unforeseen
from tests.server.running import Running, connected

FIELDS = ["code", "message", "retryable", "retry_after_s", "hint"]

REFUSALS = [
    # tool, arguments, code, part of the message or hint
    pytest.param("get_problems", {}, "unknown_tool", "'get_problem'", id="unknown tool"),
    pytest.param(
        "get_problem", {"problm": "x"}, "unknown_argument", "'problem'", id="unknown argument"
    ),
    pytest.param(
        "get_problem", {"problem": "duoble"}, "unknown_problem", "'double'", id="unknown problem"
    ),
    pytest.param("claim_strategy", {}, "bad_value", "problem: is required", id="missing argument"),
    pytest.param(
        "get_solution",
        {"submission_id": 1, "part": "sauce"},
        "bad_value",
        "Did you mean 'source'",
        id="not one of the values",
    ),
    pytest.param(
        "read_board", {"problem": "double", "budget": 9999}, "bad_value", "1500", id="out of range"
    ),
    pytest.param(
        "get_solution", {"submission_id": 7}, "unknown_submission", "7", id="unknown submission"
    ),
    pytest.param("job_wait", {"job_ids": ["j_1"]}, "unknown_job", "j_1", id="unknown job"),
    pytest.param(
        "compile_and_verify",
        {"claim_id": "c_1", "language": "cpp", "source": "x"},
        "unknown_claim",
        "c_1",
        id="unknown claim",
    ),
    pytest.param(
        "claim_strategy",
        {"problem": "double", "device": "cuda:0"},
        "unknown_device",
        "cpu",
        id="unknown device",
    ),
    pytest.param(
        "claim_strategy",
        {"problem": "double", "prefer": "memry"},
        "bad_value",
        "'memory'",
        id="unknown lane",
    ),
]

SOLUTIONS = [
    # further arguments of compile_and_verify, code, part of the message
    pytest.param({"language": "cp"}, "unknown_language", "'cpp'", id="unknown language"),
    pytest.param({"language": "cuda"}, "language_unavailable", "no CUDA compiler", id="not here"),
    pytest.param({"source": "x" * 262_145}, "source_too_large", "262,144", id="too large"),
    pytest.param({"launch_plan": "{"}, "malformed_solution", "launch_plan", id="plan is no JSON"),
    pytest.param({"launch_plan": "{}"}, "malformed_solution", "launch_plan.kernels", id="plan"),
    pytest.param({"entry_point": "x" * 257}, "malformed_solution", "entry_point", id="long name"),
    pytest.param({"options": "-g " * 65}, "malformed_solution", "options", id="many options"),
    pytest.param({"options": "'-O3"}, "malformed_solution", "options", id="options do not split"),
    pytest.param({"options": "-O3"}, "malformed_solution", "takes none", id="language's check"),
    pytest.param({"builds_on": [9]}, "unknown_submission", "9", id="unknown parent"),
]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_every_refusal_has_the_same_shape_in_both_eras(running: Running, mode: str):
    async with connected(running, mode=mode) as agent:
        for parameters in REFUSALS:
            tool, arguments, code, part = parameters.values
            result = await agent.client.call_tool(tool, arguments)
            assert result.is_error, parameters.id
            answer = result.structured_content
            assert answer is not None and list(answer) == FIELDS
            assert answer["code"] == code, parameters.id
            assert part in answer["message"] + answer["hint"], parameters.id
            assert all(f"{name}:" in result.content[0].text for name in FIELDS)


async def test_a_solution_that_does_not_fit_is_refused_with_its_field(running: Running):
    async with connected(running) as agent:
        claim_id = await agent.claim()
        for parameters in SOLUTIONS:
            changed, code, part = parameters.values
            arguments = {"claim_id": claim_id, "language": "cpp", "source": "gain 0", **changed}
            answer = await agent.refused("compile_and_verify", **arguments)
            assert (answer["code"], part in answer["message"]) == (code, True), parameters.id


async def test_what_is_not_verified_cannot_be_benchmarked(running: Running):
    async with connected(running) as agent:
        await agent.submit(await agent.claim(), "wrong")
        assert (await agent.refused("benchmark", submission_id=1))["code"] == "not_verified"


async def test_what_is_never_timed_here_is_refused_before_anything_is_queued(running: Running):
    async with connected(running) as agent:
        claim_id = await agent.claim()
        verified = await agent.call(
            "compile_and_verify", claim_id=claim_id, language="triton", source="gain 0.3"
        )
        answer = await agent.refused("benchmark", submission_id=1)
    assert verified["next"].startswith("it is interpreted here, never timed. Port it")
    assert answer["code"] == "not_verified"
    assert answer["message"].endswith("cannot be benchmarked: it is interpreted here, never timed.")
    jobs = views.jobs_of_submission(running.house.database, 1)
    assert [job.kind for job in jobs] == ["verify"]


async def test_conclusions_that_the_record_contradicts_are_refused(running: Running):
    async with connected(running) as agent:
        claim_id = await agent.claim()
        await agent.submit(claim_id, "gain 0.3")
        await agent.call("benchmark", submission_id=1)
        await agent.submit(claim_id, "wrong")
        for kind, cited in (("win", [2]), ("trap", [1])):
            told = {"kind": kind, "strategy_note": "n", "reflection": "r"}
            answer = await agent.refused(
                "post_conclusion", claim_id=claim_id, submission_ids=cited, **told
            )
            assert answer["code"] == "unfounded_conclusion"


async def test_refusals_are_counted(running: Running):
    async with connected(running) as agent:
        await agent.refused("get_problem", problem="nothing")
    assert running.metrics.refusals["unknown_problem"] == 1


def test_an_unforeseen_failure_tells_nothing_of_itself():
    told = facts(unforeseen("get_problem"))
    assert (told["code"], told["retryable"]) == ("house_error", True)
