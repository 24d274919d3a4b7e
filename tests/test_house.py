"""The limits of the house, which hold for every file without exception."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import typer

from guard.domain import errors

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("server", "guard", "memory", "coordinator")
MODULES = sorted(
    path
    for folder in (*PACKAGES, "examples", "tests", "benchmarks", "scripts")
    for path in (ROOT / folder).rglob("*.py")
)
DOCS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
)

MAX_MODULE_LINES = 300
MAX_BODY_LINES = 40
MAY_CATCH_ALL = ("guard/runner/main.py", "server/errors.py")
# Written in two halves, so that this file does not hold what it looks for.
FORBIDDEN_MARKS = (
    "TO" + "DO",
    "FIX" + "ME",
    "type: " + "ignore",
    "no" + "qa",
    "pragma: " + "no cover",
)
FORBIDDEN_IN_TESTS = ("pytest." + "skip", "mark." + "skip", "mark." + "xfail", "unittest." + "mock")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, Function):
            yield node


def body_lines(function: Function) -> int:
    """Lines from the first statement after the docstring to the last."""
    body = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def catches_all(handler: ast.ExceptHandler) -> bool:
    """Whether it swallows Exception or BaseException; cleaning up and raising on is no swallow."""
    last = handler.body[-1]
    if isinstance(last, ast.Raise) and last.exc is None:
        return False
    if handler.type is None:
        return True
    named = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return bool(named & {"Exception", "BaseException"})


def headings(text: str) -> set[str]:
    return {line.lstrip("# ").strip().strip("`") for line in text.splitlines() if line[:1] == "#"}


def anchor(heading: str) -> str:
    """The fragment that a heading is reached by."""
    kept = re.sub(r"[^\w\- ]", "", heading.lower())
    return kept.strip().replace(" ", "-")


def options(command: click.Command) -> set[str]:
    """All long options of a command and the commands below it."""
    found = {opt for p in command.params for opt in p.opts if opt.startswith("--")}
    for below in getattr(command, "commands", {}).values():
        found |= options(below)
    return found


def test_no_module_is_longer_than_the_limit():
    lengths = {name_of(p): len(p.read_text().splitlines()) for p in MODULES}
    assert {name: n for name, n in lengths.items() if n > MAX_MODULE_LINES} == {}


def test_no_function_body_is_longer_than_the_limit():
    lengths = {f"{name_of(p)}:{f.name}": body_lines(f) for p in MODULES for f in functions(p)}
    assert {name: n for name, n in lengths.items() if n > MAX_BODY_LINES} == {}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("def f():\n    return 1", 1, id="one line"),
        pytest.param(
            'def f():\n    """A\n    b.\n    """\n    x = 1\n\n    return x', 3, id="docstring"
        ),
        pytest.param('def f():\n    """Only this."""', 0, id="nothing but a docstring"),
    ],
)
def test_docstrings_do_not_count_as_body(source, expected):
    [function] = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    assert body_lines(function) == expected


def test_no_mark_postpones_work_or_silences_a_checker():
    found = [
        f"{name_of(p)}: {mark}"
        for p in MODULES
        for mark in FORBIDDEN_MARKS
        if mark in p.read_text()
    ]
    assert found == []


def test_no_test_is_skipped_and_nothing_is_mocked():
    tests = [p for p in MODULES if name_of(p).startswith("tests/")]
    found = [f"{name_of(p)}: {m}" for p in tests for m in FORBIDDEN_IN_TESTS if m in p.read_text()]
    assert found == []


def test_only_two_modules_catch_everything():
    found = {
        name_of(path)
        for path in MODULES
        if name_of(path).split("/")[0] in PACKAGES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler) and catches_all(node)
    }
    assert found <= set(MAY_CATCH_ALL)


def test_only_the_settings_read_the_servers_environment():
    floors = ("server/", "coordinator/", "memory/")
    served = [p for p in MODULES if name_of(p).startswith(floors)]
    readers = [name_of(p) for p in served if re.search(r"os\.(environ|getenv)", p.read_text())]
    assert readers == ["server/settings.py"]


def test_every_error_has_a_heading_and_every_heading_an_error():
    classes = [c for c in vars(errors).values() if isinstance(c, type)]
    errors_found = {c.__name__ for c in classes if issubclass(c, errors.KernelArcError)}
    documented = {
        line[4:].strip("` ")
        for line in (ROOT / "docs" / "errors.md").read_text().splitlines()
        if line.startswith("### ")
    }
    assert documented == errors_found - {"KernelArcError", "CallerError", "HouseError"}


def test_every_option_of_the_command_line_is_documented():
    from server.__main__ import app

    text = (ROOT / "docs" / "cli.md").read_text()
    undocumented = {o for o in options(typer.main.get_command(app)) if f"`{o}" not in text}
    assert undocumented - {"--help", "--install-completion", "--show-completion"} == set()


@pytest.mark.parametrize("page", DOCS, ids=name_of)
def test_every_relative_link_leads_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, fragment = target.partition("#")
        place = (page.parent / file).resolve() if file else page
        known = {anchor(h) for h in headings(place.read_text())} if fragment else {fragment}
        if not place.exists() or fragment not in known:
            broken.append(target)
    assert broken == []


def test_the_server_starts_without_torch():
    heavy = "{'torch', 'triton', 'numpy', 'cuda'}"
    program = f"import sys, server.__main__; print(sorted({heavy} & set(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"
