"""The contract that every language keeps, whatever its name."""

import subprocess
import sys
from pathlib import Path

import pytest

from guard import plugins
from guard.domain.errors import MalformedSolution
from guard.domain.solution import Source
from guard.ports import Language

ROOT = Path(__file__).parents[3]
LANGUAGES = [pytest.param(v, id=k) for k, v in plugins.load("languages").items()]
every_language = pytest.mark.parametrize("language", LANGUAGES)

ONLY_PLUGINS = """
import sys
from guard import plugins
for language in plugins.load("languages").values():
    language.unavailable()
print(sorted({"torch", "triton", "cuda.core", "cuda.bindings", "numpy"} & set(sys.modules)))
"""


def test_listing_the_languages_imports_no_heavy_library():
    done = subprocess.run(
        [sys.executable, "-c", ONLY_PLUGINS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@every_language
def test_it_describes_itself_in_one_line(language: Language):
    assert language.suffix.startswith(".")
    assert language.summary and "\n" not in language.summary and len(language.summary) <= 200
    assert language.unavailable() is None


@every_language
@pytest.mark.parametrize("kind", ["cpu", "nvidia"])
def test_what_cannot_run_is_not_timed(language: Language, kind: str):
    if language.runs_on(kind) is not None:
        assert language.runs_on(kind)
        assert language.timed_on(kind)


@every_language
def test_a_good_source_compiles_to_files_that_stay_in_scratch(language, make, tmp_path):
    solution = make(language.name)
    language.check(solution)
    artifact = language.compile(solution, "sm_90a", tmp_path)
    assert artifact.report.ok, artifact.report.messages
    assert artifact.report.duration_s > 0
    assert artifact.files
    for path in artifact.files:
        assert (tmp_path / path).resolve().is_relative_to(tmp_path)


@every_language
def test_a_broken_source_is_a_report_with_its_line_and_no_files(language, make, tmp_path):
    broken = make(language.name, "\n\nthis is (no kernel\n")
    artifact = language.compile(broken, "sm_90a", tmp_path)
    assert not artifact.report.ok
    assert not artifact.files
    assert "3" in artifact.report.messages
    assert str(tmp_path) not in artifact.report.messages


@every_language
@pytest.mark.parametrize(
    "source", ["\x1b[31m\x07\x00 broken", "(\n" * 20_000], ids=["control", "huge"]
)
def test_messages_are_bounded_and_plain(language, make, tmp_path, source):
    report = language.compile(make(language.name, source), "sm_90a", tmp_path).report
    assert not report.ok
    assert report.messages
    assert len(report.messages) <= 3_000
    assert all(c.isprintable() or c in "\n\t" for c in report.messages)


REFUSED = [
    pytest.param({"path": "../kernel"}, "sources", id="path climbs out"),
    pytest.param({"path": "/tmp/kernel"}, "sources", id="absolute path"),
    pytest.param({"path": "a b"}, "sources", id="path with a blank"),
    pytest.param({"entry_point": "run;"}, "entry_point", id="entry point is no identifier"),
    pytest.param({"options": ("-fplugin=x.so",)}, "options", id="option that loads code"),
    pytest.param({"options": ("-o/etc/x",)}, "options", id="option that names a file"),
    pytest.param({"options": ("@file",)}, "options", id="option that reads a file"),
    pytest.param({"options": ("-I/etc",)}, "options", id="option that opens a folder"),
]


@every_language
@pytest.mark.parametrize(("fields", "field"), REFUSED)
def test_it_refuses_by_field(language, make, fields, field):
    good = make(language.name)
    if "path" in fields:
        suffix = Path(good.sources[0].path).suffix
        fields = {"sources": (Source(path=fields["path"] + suffix, content="x"),)}
    with pytest.raises(MalformedSolution, match=f"solution's {field} is not usable"):
        language.check(make(language.name, **fields))


@every_language
def test_two_files_may_not_share_a_path(language, make):
    source = make(language.name).sources[0]
    with pytest.raises(MalformedSolution, match="same path"):
        language.check(make(language.name, sources=(source, source)))
