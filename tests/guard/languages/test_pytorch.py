import inspect

import pytest
import torch

from guard.domain.errors import MalformedSolution
from guard.domain.solution import Source
from guard.languages.pytorch import LANGUAGE

NAMES = ("x", "scale", "y")


def test_destination_passing_writes_the_outputs(make, loaded):
    x, y = torch.randn(5), torch.full((5,), float("nan"))
    call = loaded(make("pytorch")).bind([x, 2.0], [y], {"N": 5}, NAMES)
    assert call() is None
    assert torch.equal(y, x * 2)


def test_return_style_gives_what_the_function_returned(make, loaded):
    source = "def run(x, scale):\n    return {'y': x * scale}\n"
    x = torch.randn(3)
    kernel = loaded(make("pytorch", source, destination_passing_style=False))
    given = kernel.bind([x, 3.0], [], {"N": 3}, NAMES[:2])()
    assert list(given) == ["y"]
    assert torch.equal(given["y"], x * 3)


def test_what_a_writing_function_returns_is_ignored(make, loaded):
    kernel = loaded(make("pytorch", "def run(x, scale, y):\n    return x\n"))
    assert kernel.bind([torch.ones(1), 2.0], [torch.ones(1)], {"N": 1}, NAMES)() is None


def test_the_module_is_loaded_from_a_file(make, loaded):
    kernel = loaded(make("pytorch"))
    assert "torch.mul" in inspect.getsource(kernel.function)


def test_a_second_file_can_be_imported(make, loaded):
    sources = (
        Source(path="pkg/kernel.py", content="from helper import run\n"),
        Source(path="pkg/helper.py", content="def run(x, scale, y):\n    y.copy_(x * scale)\n"),
    )
    x, y = torch.randn(4), torch.empty(4)
    loaded(make("pytorch", sources=sources)).bind([x, 0.5], [y], {}, NAMES)()
    assert torch.equal(y, x * 0.5)


def test_a_missing_entry_function_names_what_is_there(make, loaded):
    with pytest.raises(MalformedSolution, match=r"no function 'run'; it defines: forward, other"):
        loaded(make("pytorch", "def forward(): ...\ndef other(): ...\n"))


def test_a_launch_plan_is_refused(make):
    plan = make("cuda").launch_plan
    with pytest.raises(MalformedSolution, match="launch_plan"):
        LANGUAGE.check(make("pytorch", launch_plan=plan))


def test_compiling_runs_nothing_and_quotes_the_line(make, tmp_path):
    source = f"open({str(tmp_path / 'ran')!r}, 'w')\nx = '\\d'\ndef run(:\n"
    report = LANGUAGE.compile(make("pytorch", source), "", tmp_path).report
    assert not (tmp_path / "ran").exists()
    assert 'File "kernel.py", line 3' in report.messages
    assert "def run(:" in report.messages


def test_a_warning_is_a_message_not_a_failure(make, tmp_path):
    report = LANGUAGE.compile(make("pytorch", "x = '\\d'\n"), "", tmp_path).report
    assert report.ok
    assert "kernel.py, line 1: invalid escape sequence" in report.messages
