"""The web application around the protocol: hosts, origins, tokens, limits."""

import httpx2
import pytest

from guard.domain.decision import Policy
from memory.board import Board
from memory.engine import open_database
from server.settings import Settings
from tests.server.running import Running, connected, serving

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}

HEADERS = [
    # headers, status of /healthz
    pytest.param({}, 200, id="as a client sends it"),
    pytest.param({"Host": "localhost:9000"}, 200, id="through a tunnel"),
    pytest.param({"Host": "evil.example"}, 421, id="foreign host"),
    pytest.param({"Host": "127.0.0.1.evil.example:1"}, 421, id="host that begins like ours"),
    pytest.param({"Host": "localhost:1", "Origin": "http://localhost:1"}, 200, id="same origin"),
    pytest.param({"Origin": "http://evil.example"}, 403, id="foreign origin"),
    pytest.param({"Origin": "null"}, 403, id="opaque origin"),
    pytest.param({"Origin": "http://["}, 403, id="no origin at all"),
]


async def test_host_and_origin_are_checked_on_every_page(running: Running):
    async with httpx2.AsyncClient() as http:
        for parameters in HEADERS:
            headers, expected = parameters.values
            for page in ("/healthz", "/metrics", "/nothing"):
                response = await http.get(running.root + page, headers=headers)
                wanted = 404 if page == "/nothing" and expected == 200 else expected
                assert response.status_code == wanted, (parameters.id, page)
        response = await http.post(running.url, json=CALL, headers={"Host": "evil.example"})
        assert response.status_code == 421


async def test_only_post_is_served(running: Running):
    async with httpx2.AsyncClient(headers=ACCEPT) as http:
        for method in ("GET", "DELETE"):
            response = await http.request(method, running.url)
            assert (response.status_code, response.headers["allow"]) == (405, "POST")


async def test_a_body_beyond_two_mebibytes_is_refused(running: Running):
    async with httpx2.AsyncClient(headers=ACCEPT) as http:
        response = await http.post(running.url, json={"x": "y" * 2 * 2**20})
        assert response.status_code == 413


@pytest.mark.parametrize("body", ["-1", "1e999", "{}", '{"jsonrpc": "2.0", "id": 1, "m": "x"}'])
async def test_what_is_no_message_is_refused_in_a_sentence_of_ours(running: Running, body: str):
    headers = {**ACCEPT, "Content-Type": "application/json"}
    async with httpx2.AsyncClient(headers=headers) as http:
        response = await http.post(running.url, content=body)
    assert response.status_code == 400
    error = response.json()["error"]
    assert error == {"code": -32600, "message": "Invalid request: no JSON-RPC 2.0 message."}


async def test_metrics_count_calls(running: Running):
    async with connected(running) as agent:
        await agent.call("get_problem")
    async with httpx2.AsyncClient() as http:
        page = (await http.get(running.root + "/metrics")).text
    assert 'kernelarc_tool_calls_total{tool="get_problem"} 1' in page
    assert "kernelarc_ready 1" in page
    assert 'kernelarc_device_quarantined{device="cpu"} 0' in page
    assert 'kernelarc_orders_open{device="cpu",lane="compile",state="waiting"} 0' in page
    assert 'kernelarc_loop_lag_seconds_bucket{le="+Inf"}' in page
    assert "kernelarc_sigma" not in page


async def test_metrics_tell_the_health_of_the_gate(chosen: Settings):
    often = Policy(aa_every=1, planted_every=1)
    async with serving(chosen, often) as running:
        async with connected(running) as agent:
            answer = await agent.submit(await agent.claim(), "gain 0.3")
            await agent.call("benchmark", submission_id=answer["submission_id"])
        await running.house.benches.named("cpu").pipeline.health.idle()
        async with httpx2.AsyncClient() as http:
            page = (await http.get(running.root + "/metrics")).text
    for kind, count in (("seed", 1), ("aa", 1), ("planted", 1), ("grand", 0)):
        assert f'kernelarc_health_duels_total{{kind="{kind}"}} {count}' in page
    assert "kernelarc_false_promotions_found_total 0" in page
    assert "kernelarc_planted_losses_missed_total 0" in page
    assert 'kernelarc_sigma_log_units{device="cpu",problem="double"} 0.004000' in page


@pytest.fixture
def secrets(chosen: Settings) -> dict[str, str]:
    database = open_database(chosen.db)
    made = {name: Board(database).add_token(name) for name in ("ada", "bob")}
    database.close()
    return made


async def test_with_tokens_only_their_holders_are_served(chosen: Settings, secrets: dict[str, str]):
    async with serving(chosen) as running:
        async with httpx2.AsyncClient(headers=ACCEPT) as http:
            for header in ({}, {"Authorization": "Bearer wrong"}):
                response = await http.post(running.url, json=CALL, headers=header)
                assert response.status_code == 401
                assert response.headers["www-authenticate"] == "Bearer"
            known = await http.get(running.root + "/.well-known/oauth-protected-resource")
            assert known.status_code in (401, 404)
        async with connected(running, token=secrets["ada"]) as agent:
            answer = await agent.call("claim_strategy", problem="double")
            assert (answer["agent"], answer["held_by"]) == ("ada", "ada (ada)")


async def test_another_tokens_claim_submission_and_job_are_out_of_reach(
    chosen: Settings, secrets: dict[str, str]
):
    async with serving(chosen) as running:
        async with connected(running, token=secrets["ada"]) as ada:
            claim_id = await ada.claim()
            answer = await ada.submit(claim_id, "gain 0.2")
        async with connected(running, token=secrets["bob"]) as bob:
            job_id = answer["job_id"]
            codes = [
                (await bob.refused("release_claim", claim_id=claim_id, outcome="done"))["code"],
                (await bob.refused("benchmark", submission_id=1))["code"],
                (await bob.refused("job_wait", job_ids=[job_id]))["code"],
                (await bob.refused("job_cancel", job_id=job_id))["code"],
            ]
            assert codes == ["unknown_claim", "bad_value", "unknown_job", "unknown_job"]
            source = await bob.call("get_solution", submission_id=1)
            assert source["untrusted_source"] == "gain 0.2"


async def test_without_tokens_rows_are_marked_unverified(running: Running):
    async with connected(running) as agent:
        answer = await agent.call("claim_strategy", problem="double", agent="ada")
        assert answer["held_by"] == "ada (unverified)"
