import importlib

import pytest
import typer
from typer.testing import CliRunner

from benchmarks._machine import machine

COMMANDS = (
    "agreement", "board_load", "bound", "claim_race", "mcp_overhead", "precision", "soak",
    "turnaround",
)  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_tells_its_options(name):
    app = typer.Typer()
    app.command()(importlib.import_module(f"benchmarks.{name}").main)
    told = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "100", "TERM": "dumb"})
    assert told.exit_code == 0
    assert "--json" in told.output


def test_the_machine_tells_processor_cores_and_versions():
    found = machine()
    assert found.processor
    assert found.cores >= 1
    assert {"python", "torch", "triton"} <= set(found.versions)
    assert found.processor in found.line()
