"""`server.problem`: what a problem check prints, and its exit status."""

import json

import pytest

from guard.domain.probe import Neighbours, Probe
from server.problem import ADMITTED, NOT_ADMITTED, check
from server.settings import Settings
from tests.server.fakes import plugins

PROBED = [
    # what became of the wrong answer on the one workload, exit status, part of the text
    pytest.param("further off", ADMITTED, "refuses zeros", id="refused"),
    pytest.param("", NOT_ADMITTED, "cannot tell from a right answer: zeros", id="passes"),
]


@pytest.mark.parametrize(("refused", "status", "text"), PROBED)
def test_a_problem_is_checked_without_a_server(
    chosen: Settings, capsys, monkeypatch, refused, status, text
):
    probes = (Probe(workload="n4", impostor="zeros", refused=refused),)
    monkeypatch.setattr("tests.server.fakes.PROBES", probes)
    folder = chosen.problems / "double"
    assert check(chosen, folder, as_json=False, installed=plugins()) == status
    said = capsys.readouterr().out
    assert text in said
    assert "n64: bound 0.25 ms by memory, of which the baseline reaches 25%" in said
    assert check(chosen, folder, as_json=True, installed=plugins()) == status
    told = json.loads(capsys.readouterr().out)
    assert told["admitted"] is (status == ADMITTED)
    assert told["bounds"]["n64"]["baseline_fraction"] == 0.25
    assert told["workloads"] == {"n4": {"zeros": refused}}


NEAR = Neighbours(
    open_axes=("N",),
    drawn=("N a prime", "N 1"),
    redrawn=("N off by one: the reference fails there",),
    probes=(
        Probe(workload="hidden-1", impostor="zeros", refused="further off"),
        Probe(workload="hidden-2", impostor="zeros", refused=""),
    ),
)


def test_a_problem_check_tells_of_hidden_shapes_and_lost_digits(
    chosen: Settings, capsys, monkeypatch
):
    lost = Probe(workload="n4", impostor="a one-pass variance", refused="", required=False)
    zeros = Probe(workload="n4", impostor="zeros", refused="further off")
    monkeypatch.setattr("tests.server.fakes.PROBES", (zeros, lost))
    monkeypatch.setattr("tests.server.fakes.NEAR", NEAR)
    folder = chosen.problems / "double"
    assert check(chosen, folder, as_json=False, installed=plugins()) == ADMITTED
    said = capsys.readouterr().out
    assert "n4: refuses zeros; within tolerance: a one-pass variance" in said
    assert "Open axes: N. Hidden shapes drawn: 2." in said
    assert "N a prime: refuses zeros" in said
    assert "N 1: cannot tell from a right answer: zeros" in said
    assert "Given up: 1, such as N off by one: the reference fails there." in said
    check(chosen, folder, as_json=True, installed=plugins())
    told = json.loads(capsys.readouterr().out)
    assert told["harmless"] == ["a one-pass variance"]
    assert told["neighbours"]["shapes"] == {
        "hidden-1": {"zeros": "further off"},
        "hidden-2": {"zeros": ""},
    }
