"""The contract that every static rule keeps, whatever its name.

Each rule has at least one file in `examples`, named after it; the lines it must find end in a
comment that says ``found``, and it must find no others.
"""

import re
from pathlib import Path

import pytest

from guard import plugins
from guard.clerk import notice
from guard.domain.solution import Solution, Source
from guard.source_file import read_files

EXAMPLES = Path(__file__).with_name("examples")
FILES = sorted(EXAMPLES.iterdir())
RULES = plugins.load("rules")
every_rule = pytest.mark.parametrize("rule", [pytest.param(r, id=n) for n, r in RULES.items()])
every_file = pytest.mark.parametrize("path", [pytest.param(f, id=f.name) for f in FILES])


def solution(path: Path) -> Solution:
    source = Source(path=f"candidate{path.suffix}", content=path.read_text())
    return Solution(definition="softmax_rows", language="pytorch", sources=(source,))


def found_by(rule, path):
    return [remark for file in read_files(solution(path)) for remark in rule.find(file)]


@every_rule
def test_it_says_what_it_is_in_one_line(rule):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.name)
    assert rule.weight in ("refusal", "hint")
    assert rule.summary and len(rule.summary) <= 100 and "\n" not in rule.summary
    assert rule.unavailable() is None


@every_rule
def test_it_has_an_example(rule):
    assert rule.name in {path.stem for path in FILES}


@every_file
def test_a_rule_finds_the_marked_lines_and_no_others(path):
    marked = [
        number
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if re.search(r"(#|//) found$", line)
    ]
    remarks = found_by(RULES[path.stem], path)
    assert sorted({remark.line for remark in remarks}) == marked
    assert all(r.rule == path.stem and r.path == f"candidate{path.suffix}" for r in remarks)
    assert all(0 < len(r.evidence) <= 160 for r in remarks)


@every_file
def test_the_same_source_gives_the_same_remarks(path):
    assert notice(solution(path)) == notice(solution(path))


@every_rule
@pytest.mark.parametrize("suffix", [".py", ".cpp", ".cu", ".h"])
def test_an_empty_kernel_is_no_matter(rule, suffix, tmp_path):
    path = tmp_path / f"empty{suffix}"
    path.write_text("\n")
    assert found_by(rule, path) == []
