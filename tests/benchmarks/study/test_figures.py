import math

import pytest

from benchmarks.study.contrasts import asked
from benchmarks.study.figures import estimate, ratio
from benchmarks.study.trial import POINTS, Cell, Run
from guard.domain.decision import Retention


def run(seed: int, reached: float, **cell: object) -> Run:
    fields = {"agents": 2, "memory": Retention.PRIVATE, "assigned": False, "forced": False}
    return Run(
        cell=Cell.model_validate({**fields, **cell}),
        seed=seed,
        budget=48,
        optimum=3.0,
        reached=reached,
        curve=(reached,) * POINTS,
        arrived=1,
        distinct=48,
        failed=0,
        similar=0,
        promotions=0,
        forced_promotions=0,
        learned_promotions=0,
        claims=2,
        idle=0,
    )


def test_what_never_varies_has_an_interval_of_no_width():
    found = estimate([0.5] * 10)
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_the_interval_holds_the_mean_and_narrows_with_seeds():
    few, many = estimate([0.0, 1.0] * 5), estimate([0.0, 1.0] * 200)
    assert few.low < few.value < few.high
    assert many.high - many.low < few.high - few.low


def test_a_ratio_is_taken_seed_by_seed():
    # The seeds differ by much more than the two kinds of cells do.
    runs = [run(seed, seed * 1.0) for seed in range(8)]
    runs += [run(seed, seed + math.log(1.28), memory=Retention.BOUNDED) for seed in range(8)]
    found = ratio(
        runs,
        lambda cell: cell.memory is Retention.BOUNDED,
        lambda cell: cell.memory is Retention.PRIVATE,
    )
    assert found.value == pytest.approx(1.28)
    assert found.low == pytest.approx(1.28)
    assert found.excludes_one


def test_only_questions_that_the_runs_can_answer_are_told():
    runs = [run(seed, 1.0, forced=forced) for seed in range(4) for forced in (False, True)]
    names = [answer.name for answer in asked(runs)]
    assert names == ["forced change ÷ none, all", "forced change ÷ none, 2 agents"]
