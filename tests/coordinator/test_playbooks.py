"""The playbooks that are installed: their form, their code, and the solutions that they end in."""

import re
import tomllib
from pathlib import Path

import pytest

from coordinator import catalogue, playbooks
from coordinator.playbooks import Fragment, Playbook, parse
from guard.domain.problem import Definition
from guard.domain.solution import LaunchPlan, Solution, Source
from guard.languages import cpp, cuda, triton
from tests.guard.languages.building import isolated

ROOT = Path(__file__).parents[2]
SOLUTIONS = ROOT / "examples" / "solutions"
BOOKS = playbooks.load()
LANGUAGES = {"cpp": cpp.LANGUAGE, "cuda": cuda.LANGUAGE, "triton": triton.LANGUAGE}
MAX_STEP = 7_500
FRAGMENTS = [
    pytest.param(book, fragment, id=f"{book.name}/{fragment.name}")
    for book in BOOKS.values()
    for fragment in book.fragments.values()
]
ENDS = [
    pytest.param(book, file, fragment, id=file)
    for book in BOOKS.values()
    for file, fragment in book.scope.solutions.items()
]
SCOPE = '# T\n\n```toml\ndevices = ["cpu"]\nops = ["matmul"]\nproblem = "p"\n```\n\nHello.\n'
# A library needs a function to be linked, and a plan something to launch; a fragment that has none
# is given an empty one.
EMPTY = '\nextern "C" void run() {}\n'
EMPTY_KERNEL = '\nextern "C" __global__ void empty() {}\n'
EMPTY_PLAN = """
{"kernels": [{"kernel": "empty", "grid": ["1"], "block": ["32"], "arguments": []}]}
"""

every_book = pytest.mark.parametrize("book", BOOKS.values(), ids=list(BOOKS))


def handed_in(book: Playbook, fragment: Fragment) -> Solution:
    source = book.source(fragment.name)
    if fragment.language == "cpp" and "void run(" not in source:
        source += EMPTY
    plan = book.plans.get(fragment.name)
    if fragment.language == "cuda" and plan is None:
        source, plan = source + EMPTY_KERNEL, EMPTY_PLAN
    suffix = {"cpp": "cpp", "cuda": "cu", "triton": "py"}[fragment.language]
    return Solution(
        definition=book.scope.problem,
        language=fragment.language,
        sources=(Source(path=f"fragment.{suffix}", content=source),),
        launch_plan=LaunchPlan.model_validate_json(plan) if plan else None,
    )


@every_book
def test_a_playbook_is_read_in_steps_that_fit_into_answers(book: Playbook) -> None:
    assert len(book.introduction) <= MAX_STEP
    assert len({step.id for step in book.steps}) == len(book.steps) >= 6
    assert all(len(step.text) <= MAX_STEP for step in book.steps)
    assert book.steps[-1].title.endswith("Sources")


@every_book
def test_a_playbook_is_written_for_families_and_a_problem_that_exist(book: Playbook) -> None:
    known = catalogue.load()
    text = (ROOT / "examples" / "problems" / book.scope.problem / "definition.json").read_text()
    families = known.families_of(Definition.model_validate_json(text))
    assert set(book.scope.ops) <= set(known.families)
    assert all(book.fits(device, families) for device in book.scope.devices)


@every_book
def test_every_fence_is_compiled_or_of_a_kind_that_is_only_shown(book: Playbook) -> None:
    text = (playbooks.HERE / f"{book.name}.md").read_text(encoding="utf-8")
    kinds = re.findall(r"^```([^\s`]+)", text, re.MULTILINE)
    assert set(kinds) <= {*playbooks.COMPILED, "json", "toml", "text"}
    assert sum(kind in playbooks.COMPILED for kind in kinds) == len(book.fragments)
    assert set(book.plans) <= set(book.fragments)


@pytest.mark.parametrize(("book", "fragment"), FRAGMENTS)
def test_every_fragment_compiles(book: Playbook, fragment: Fragment, tmp_path: Path) -> None:
    language, solution = LANGUAGES[fragment.language], handed_in(book, fragment)
    language.check(solution)
    with isolated():
        report = language.compile(solution, "sm_90a", tmp_path).report
    assert report.ok, report.messages


@pytest.mark.parametrize(("book", "file", "fragment"), ENDS)
def test_a_playbook_ends_in_a_solution_made_of_its_fragments(
    book: Playbook, file: str, fragment: str
) -> None:
    problem, path = file.split("/", 1)
    plan = tomllib.loads((SOLUTIONS / problem / "plan.toml").read_text(encoding="utf-8"))
    [entry] = [c for lane in plan["lane"].values() for c in lane if c["file"] == path]
    assert entry["expect"] == "correct"
    assert (SOLUTIONS / file).read_text(encoding="utf-8").endswith(book.source(fragment))
    beside = (SOLUTIONS / problem / entry["launch_plan"]) if "launch_plan" in entry else None
    assert (beside.read_text(encoding="utf-8") if beside else None) == book.plans.get(fragment)


def test_a_fragment_is_given_what_it_needs_once_and_in_order() -> None:
    fences = [
        "```cpp a\nA\n```", "```cpp b needs=a\nB\n```", "```cpp c needs=b,a\nC\n```",
        "```json of=c\n{}\n```", "```text\nshown\n```",
    ]  # fmt: skip
    book = parse("t", SCOPE + "\n## 1. First, of all\n\n" + "\n\n".join(fences) + "\n\n## Last\n")
    assert book.source("c") == "A\n\nB\n\nC\n"
    assert book.plans == {"c": "{}\n"}
    assert [step.id for step in book.steps] == ["1-first-of-all", "last"]
    assert (book.title, book.introduction) == ("T", "Hello.")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("# T\n\nHello.\n", "begins with a title", id="no scope"),
        pytest.param(SCOPE + "```cpp\nA\n```\n", "a name of its own", id="no name"),
        pytest.param(SCOPE + "```cpp a\nA\n```\n```cpp a\nA\n```\n", "of its own", id="twice"),
        pytest.param(SCOPE + "```cpp a needs=b\nA\n```\n", "needs 'b'", id="needs none such"),
        pytest.param(SCOPE.replace("ops", "opps"), "opps", id="a misspelt key"),
    ],
)  # fmt: skip
def test_a_malformed_playbook_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse("t", text)
