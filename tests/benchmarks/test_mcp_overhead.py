import json

import pytest

from benchmarks._load import Era, How, Load, Target, is_result, request
from benchmarks.mcp_overhead import BARE, cells

TARGET = Target("http://127.0.0.1:8765/mcp", "get_problem", {"problem": "a"})


@pytest.mark.parametrize("era", list(Era))
def test_a_bare_request_names_its_era_and_its_own_length(era):
    head, _, body = request(TARGET, era).partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    message = json.loads(body)
    assert first == "POST /mcp HTTP/1.1"
    assert headers["Host"] == "127.0.0.1:8765"
    assert headers["MCP-Protocol-Version"] == era.value
    assert int(headers["Content-Length"]) == len(body)
    assert message["params"]["arguments"] == {"problem": "a"}
    assert ("Mcp-Name" in headers) is ("_meta" in message["params"]) is (era is Era.MODERN)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(b'data: {"result": {"content": []}}', True, id="a result"),
        pytest.param(b'{"result": {"isError": false}}', True, id="said to be no error"),
        pytest.param(b'{"result": {"isError": true}}', False, id="an error of the tool"),
        pytest.param(b'{"error": {"code": -32602}}', False, id="an error of the protocol"),
    ],
)
def test_only_a_result_that_is_no_error_counts_as_an_answer(body, expected):
    assert is_result(body) is expected


def test_ratios_are_taken_round_by_round():
    # The host was twice as slow in the second round, for both servers alike.
    rounds = [
        {BARE: Load([0.001, 0.001], 0.002), "tool": Load([0.002, 0.002], 0.004)},
        {BARE: Load([0.002, 0.002], 0.004), "tool": Load([0.005, 0.005], 0.01)},
    ]
    bare, tool = cells(rounds, How.BARE, Era.MODERN, clients=1)
    assert (bare.ratio, bare.ratio_low, bare.ratio_high) == (1.0, 1.0, 1.0)
    assert (tool.ratio_low, tool.ratio_high) == (pytest.approx(2.0), pytest.approx(2.5))
    assert tool.ratio == pytest.approx(2.25)
    assert tool.calls == 4
    assert tool.calls_per_s == pytest.approx((500 + 200) / 2)
