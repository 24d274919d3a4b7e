from typing import Any

import pytest
from rich.console import Console

from examples.progress import Picture

SPEEDUPS = {"speedup_over_baseline": "1.5 (1.4 to 1.6)"}


def reply(tool: str, refused: bool = False, **facts: Any) -> dict[str, Any]:
    return {"agent": "ada", "event": "reply", "tool": tool, "refused": refused, "reply": facts}


def chose(event: str, **facts: Any) -> dict[str, Any]:
    return {"agent": "ada", "event": event, **facts}


GRANTED = reply("claim_strategy", status="granted", strategy="memory.x", why="It was free.")
WRONG = [{"status": "RUNTIME_ERROR"}]

EVENTS = [
    pytest.param(GRANTED, "claimed memory.x: It was free.", id="a claim"),
    pytest.param(reply("claim_strategy", status="busy"), None, id="waiting is no event"),
    pytest.param(
        reply("benchmark", refused=True, code="c", message="No."),
        "benchmark refused: No.",
        id="a refusal",
    ),
    pytest.param(
        reply("compile_and_verify", submission_id=1, verdict="failed on 1", workloads=WRONG),
        "failed on 1 (RUNTIME_ERROR)",
        id="a verdict with its status",
    ),
    pytest.param(
        reply("benchmark", submission_id=1, decision="promoted", **SPEEDUPS),
        "promoted, 1.50 times the baseline",
        id="a decision",
    ),
    pytest.param(
        reply("benchmark", submission_id=1, decision="reverted", plateau="reached: 5", **SPEEDUPS),
        "; plateau reached: 5",
        id="a plateau",
    ),
    pytest.param(
        reply("job_wait", submission_id=1, state="running"), None, id="a running job is no event"
    ),
    pytest.param(
        chose("passed over", candidate="m/a", reason="trap #a"),
        "passed over m/a: trap #a",
        id="a skip",
    ),
]


@pytest.mark.parametrize(("entry", "told"), EVENTS)
def test_an_entry_becomes_at_most_one_event(entry: dict[str, Any], told: str | None) -> None:
    event = Picture("p").add(entry)
    assert (event is None) if told is None else (event is not None and told in event)


def test_the_best_speedup_counts_believed_figures_only() -> None:
    picture = Picture("p")
    for decision, speedup in (("reverted", "1.2"), ("suspect", "90"), ("accepted", "1.1")):
        told = f"{speedup} (1 to 99)"
        facts = {"submission_id": 1, "decision": decision, "speedup_over_baseline": told}
        picture.add(reply("benchmark", **facts))
    assert picture.rows["ada"].best == 1.2


def test_the_picture_shows_words_of_others_as_they_are() -> None:
    picture = Picture("p")
    picture.add(GRANTED)
    picture.add(reply("job_wait", submission_id=1, state="running", progress="[red]pair 1 of 3"))
    console = Console(width=120)
    with console.capture() as shown:
        console.print(picture.drawn())
    assert "[red]pair 1 of 3" in shown.get()
