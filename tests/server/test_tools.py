"""The surface: what a client's model is given before its first call."""

import json
import re

import pytest

from server import docs, tools
from server.metrics import Metrics
from tests.server.running import Running, connected

TOOLS = tools.build(Metrics())
NAMES = [
    "get_problem",
    "claim_strategy",
    "release_claim",
    "compile_and_verify",
    "benchmark",
    "job_wait",
    "job_cancel",
    "read_board",
    "post_conclusion",
    "get_solution",
]
READS = {"get_problem", "job_wait", "read_board", "get_solution"}
MAX_TOKENS = 2_500
MAX_DESCRIPTION = 1_500


def test_there_are_ten_tools():
    assert [tool.name for tool in TOOLS] == NAMES


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_flat(tool):
    schema = tool.parameters
    assert schema["type"] == "object"
    text = json.dumps(schema)
    assert not any(f'"{word}"' in text for word in ("$ref", "anyOf", "oneOf", "allOf", "null"))
    assert all(entry.get("description") for entry in schema["properties"].values())
    required = set(schema.get("required", []))
    assert all(("default" in p) != (n in required) for n, p in schema["properties"].items())


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_hint_is_set(tool):
    hints = tool.annotations
    assert hints.read_only_hint is (tool.name in READS)
    assert hints.destructive_hint is (tool.name == "job_cancel")
    assert (hints.idempotent_hint, hints.open_world_hint) == (True, False)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_descriptions_are_clean_and_short(tool):
    assert len(tool.description) <= MAX_DESCRIPTION
    assert not re.search(r"\n +", tool.description)
    assert tool.title


def test_names_descriptions_and_schemas_stay_within_the_token_budget():
    told = [
        f"{t.name}\n{t.description}\n{json.dumps(t.parameters, separators=(',', ':'))}"
        for t in TOOLS
    ]
    # o200k merges letters into words; what this counts, words in pieces of six and every other
    # sign alone, was compared with it and is never less.
    pieces = re.findall(r" ?[A-Za-z]{1,6}|\d{1,3}|[^\sA-Za-z\d]{1,2}|\n", "\n".join(told))
    assert len(pieces) <= MAX_TOKENS


async def test_a_client_is_given_the_tools_and_the_instructions(running: Running):
    async with connected(running) as agent:
        listed = await agent.client.list_tools()
        assert [tool.name for tool in listed.tools] == NAMES
        assert "claim_strategy" in (agent.client.instructions or "")
        assert len(agent.client.instructions or "") <= 2_000


def test_the_page_about_the_tools_is_current():
    assert docs.TARGET.read_text(encoding="utf-8") == docs.page()
