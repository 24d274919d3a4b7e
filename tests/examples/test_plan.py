"""Every plan under `examples/solutions`, and the reader itself."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from coordinator import catalogue
from examples.team.plan import SOLUTIONS, Candidate, Plan, named_tags, read_plan
from guard.domain.solution import MAX_SOURCE_BYTES, LaunchPlan

FOLDERS = sorted(path.parent for path in SOLUTIONS.glob("*/plan.toml"))
LANES = {strategy.lane for strategy in catalogue.load().strategies}
CANDIDATE = {"file": "a/b.cpp", "note": "n", "expect": "correct"}

every_plan = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


@every_plan
def test_a_plan_names_its_folders_problem_and_only_lanes_of_the_catalogue(folder: Path) -> None:
    plan = read_plan(folder)
    assert plan.problem == folder.name
    assert set(plan.lane) <= LANES
    assert {lane for seat in plan.seats for lane in seat.prefer} <= set(plan.lane)


@every_plan
def test_every_candidate_lies_in_its_lanes_folder_and_says_its_idea_and_prediction(
    folder: Path,
) -> None:
    for lane, candidates in read_plan(folder).lane.items():
        for candidate in candidates:
            assert candidate.file.startswith(f"{lane}/")
            source = (folder / candidate.file).read_text(encoding="utf-8")
            assert "Idea:" in source and "Predict" in source, candidate.file
            assert len(source.encode()) <= MAX_SOURCE_BYTES


@every_plan
def test_every_launch_plan_is_one_and_no_cuda_candidate_lacks_one(folder: Path) -> None:
    plan = read_plan(folder)
    for candidate in plan.candidates:
        language = plan.language_of(candidate)
        assert candidate.launch_plan or language != "cuda"
        if candidate.launch_plan:
            assert language in ("cuda", "triton")
            LaunchPlan.model_validate_json((folder / candidate.launch_plan).read_text("utf-8"))


@every_plan
def test_every_source_in_the_folder_is_in_the_plan(folder: Path) -> None:
    plan = read_plan(folder)
    named = {c.file for c in plan.candidates} | {c.launch_plan for c in plan.candidates}
    found = {
        str(path.relative_to(folder))
        for path in folder.glob("*/*")
        if path.suffix in (".cpp", ".cu", ".py", ".json") and "cache" not in path.parent.name
    }
    assert found == named - {""}


@every_plan
def test_what_a_candidate_builds_on_is_in_the_plan(folder: Path) -> None:
    plan = read_plan(folder)
    files = {c.file for c in plan.candidates}
    assert {parent for c in plan.candidates for parent in c.builds_on} <= files


@every_plan
def test_a_plan_holds_honest_and_faulty_candidates(folder: Path) -> None:
    kinds = {c.expect for c in read_plan(folder).candidates}
    assert {"correct", "slow", "wrong", "cheat"} <= kinds


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        pytest.param({"note": "n" * 161}, "note", id="a note longer than a conclusion's"),
        pytest.param({"expect": "fast"}, "expect", id="an expectation that no test knows"),
        pytest.param({"tags": ["Two Words"]}, "tags", id="a tag that no text could name"),
        pytest.param({"sped": 2}, "sped", id="a misspelt key"),
    ],
)
def test_a_candidate_that_does_not_fit_is_refused(
    change: dict[str, object], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        Candidate.model_validate({**CANDIDATE, **change})


def test_a_file_named_twice_is_refused() -> None:
    given = {
        "problem": "p",
        "language": "cpp",
        "seats": [{"agent": "ada"}],
        "lane": {"compute": [CANDIDATE], "memory": [CANDIDATE]},
    }
    with pytest.raises(ValidationError, match=r"named more than once: a/b\.cpp"):
        Plan.model_validate(given)


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        pytest.param("#no-maximum overflows", {"no-maximum"}, id="at the start"),
        pytest.param("Both (#A-b, #c).", {"a-b", "c"}, id="in a sentence, in any case"),
        pytest.param("no-maximum overflows", set(), id="without the sign it is only a word"),
    ],
)
def test_a_trap_names_tags_with_a_sign(text: str, tags: set[str]) -> None:
    assert named_tags(text) == tags


def test_more_agents_than_seats_share_wishes_under_names_of_their_own() -> None:
    plan = read_plan(SOLUTIONS / "softmax_rows")
    first, fourth = plan.seat(0), plan.seat(3)
    assert fourth.prefer == first.prefer
    assert fourth.agent != first.agent
