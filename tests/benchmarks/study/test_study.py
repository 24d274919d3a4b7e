"""A tiny study from end to end, and what its runs must hold whatever comes of them."""

import asyncio
import json

import pytest
from typer.testing import CliRunner

from benchmarks.study.__main__ import app
from benchmarks.study.grids import GRIDS, opened
from benchmarks.study.running import read
from benchmarks.study.trial import Cell, Run, play
from guard.domain.decision import Retention


def played(cell: Cell, seed: int = 3, budget: int = 48) -> Run:
    evaluator, catalogue = opened("narrow", seed)
    return asyncio.run(play(cell, seed, budget, evaluator, catalogue))


def cell(agents: int = 2, memory: Retention = Retention.UNBOUNDED, **more: bool) -> Cell:
    return Cell(agents=agents, memory=memory, **{"assigned": True, "forced": True, **more})


def test_the_grid_holds_every_combination_once():
    cells = GRIDS["full"]()
    assert len(set(cells)) == len(cells) == 4 * 4 * 2 * 2


@pytest.mark.parametrize("assigned", [False, True])
@pytest.mark.parametrize("memory", list(Retention))
def test_a_run_spends_its_budget_and_stays_below_the_optimum(memory, assigned):
    run = played(cell(memory=memory, assigned=assigned))
    assert 0 < run.reached <= run.optimum
    assert run.distinct <= run.budget
    assert list(run.curve) == sorted(run.curve)
    assert run.curve[-1] == run.reached
    assert run.arrived <= run.budget


def test_the_same_seed_gives_the_same_run():
    assert played(cell()) == played(cell())
    assert played(cell()) != played(cell(), seed=4)


def test_memory_of_ones_own_teaches_nothing_of_siblings():
    for memory in (Retention.NONE, Retention.PRIVATE):
        assert played(cell(4, memory, assigned=False)).learned_promotions == 0


def test_one_agent_alone_reads_the_same_in_its_own_and_in_shared_memory():
    one, other = (
        played(cell(1, memory, assigned=False))
        for memory in (Retention.PRIVATE, Retention.UNBOUNDED)
    )
    assert one.curve == other.curve


def test_a_crowd_has_more_agents_than_there_is_to_hand_out():
    run = played(cell(100), budget=100)
    assert 0 < run.idle < 100


def test_a_study_is_stopped_and_goes_on(tmp_path):
    out = tmp_path / "runs.jsonl"
    command = ["run", "narrow", "--out", str(out), "--seeds", "2", "--budget", "24", "--json"]
    first = CliRunner().invoke(app, command)
    assert first.exit_code == 0, first.output
    lines = out.read_text().splitlines()
    assert len(lines) == 2 * len(GRIDS["full"]())
    # As a kill leaves it: some runs, and half a line.
    out.write_text("\n".join([*lines[:50], lines[50][:40]]))
    again = CliRunner().invoke(app, command)
    assert again.exit_code == 0, again.output
    assert {k.model_dump_json() for k in read(out)} == set(lines)
    told = CliRunner().invoke(app, ["report", str(out), "--json"])
    assert told.exit_code == 0, told.output
    answers = json.loads(told.output)["answers"]
    assert "bounded ÷ private memory, all teams" in [answer["name"] for answer in answers]
