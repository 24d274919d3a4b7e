"""`server.listings`: machine code in ranges of lines, each within the limits of an answer."""

import pytest

from guard.domain.machine_code import Listing
from guard.domain.trace import CompileReport
from server.answers import LIMIT, render
from server.listings import CHARACTERS, LINE_SHOWN, LINES, missing, ranged
from tests.server.running import Running, connected


@pytest.mark.parametrize(
    ("lines", "start", "shown", "following"),
    [
        pytest.param(["a", "b", "c"], 0, "a\nb\nc", 0, id="all"),
        pytest.param(["a", "b", "c"], 2, "c", 0, id="the last"),
        pytest.param(["a", "b", "c"], 3, "", 0, id="beyond the end"),
        pytest.param(["a", "b", "c"], 2**53, "", 0, id="far beyond it"),
        pytest.param(["x"] * 1000, 40, "\n".join("x" * LINES), 40 + LINES, id="many lines"),
        pytest.param(["\tadd\x1b[2J\u202e x  "], 0, "    add x", 0, id="control characters"),
    ],
)
def test_a_range_begins_where_it_is_asked_for_and_says_how_to_go_on(lines, start, shown, following):
    found = ranged("sass", lines, start, cut=False)
    assert found["untrusted_sass"] == shown
    assert (found["lines"], found["next_offset"]) == (len(lines), following)
    assert (f"offset={following}" in found["next"]) is bool(following)


def test_long_lines_are_shortened_and_fewer_are_shown():
    found = ranged("asm", ["y" * 10_000] * 100, 0, cut=False)
    shown = found["untrusted_asm"].split("\n")
    assert sum(map(len, shown)) <= CHARACTERS
    assert found["next_offset"] == len(shown) < LINES
    assert max(map(len, shown)) < 2 * LINE_SHOWN
    assert len(render(found)) < LIMIT


def test_the_end_of_a_cut_listing_is_said_to_be_missing():
    assert "its end is missing" in ranged("ptx", ["a"], 0, cut=True)["next"]


@pytest.mark.parametrize(
    ("report", "why", "then"),
    [
        pytest.param(None, "There is no sass of it.", "part='evidence'", id="not verified"),
        pytest.param(
            CompileReport(ok=True, unlisted="No tool.", listings=(Listing(kind="ptx"),)),
            "No tool.", "part='ptx'", id="another is there",
        ),
    ],
)  # fmt: skip
def test_a_listing_that_is_not_there_is_no_error(report, why, then):
    found = missing("sass", report)
    assert found["untrusted_sass"] == why
    assert then in found["next"]


async def test_an_agent_reads_machine_code_range_by_range(running: Running):
    async with connected(running) as agent:
        claim_id = await agent.claim()
        verified = await agent.submit(claim_id, "gain 0.1")
        assert verified["untrusted_evidence"].startswith("run: 32 registers")
        read: list[str] = []
        offset = 0
        while True:
            wanted = {"submission_id": 1, "part": "sass", "offset": offset}
            answer = await agent.call("get_solution", **wanted)
            read += answer["untrusted_sass"].split("\n")
            offset = answer["next_offset"]
            if not offset:
                break
        assert len(read) == answer["lines"] == 200
        assert read[199] == "/*00c7*/ FFMA R199 ;"
        none = await agent.call("get_solution", submission_id=1, part="asm")
        assert (none["lines"], none["listings"]) == (0, ["sass"])
