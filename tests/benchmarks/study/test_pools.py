import math
import random
from statistics import fmean

import pytest

from benchmarks.study import judging, templates
from benchmarks.study.recorded import Recorded, Unjudged, recorded
from coordinator.catalogue import load
from guard.benchmark import pair_values
from guard.domain.decision import Policy
from guard.domain.trace import Duel

JUDGED = [name for name in templates.names() if templates.judged_file(name).exists()]


@pytest.mark.parametrize("name", templates.names())
def test_every_pool_holds_hundreds_of_different_candidates(name):
    pool = templates.read(name)
    designs = pool.designs()
    solutions = {pool.solution(design).digest for design in designs}
    assert len(solutions) == len(designs) >= 200
    assert not any("$" in pool.solution(design).source for design in designs)


@pytest.mark.parametrize("name", templates.names())
def test_its_strategies_are_the_catalogues(name):
    pool = templates.read(name)
    known = {strategy.id for strategy in load().strategies if strategy.runs_on("cpu")}
    asked = [angle.strategy for angle in pool.space.angles]
    assert len(asked) == len(set(asked))
    assert set(asked) <= known
    assert {strategy.id for strategy in pool.catalogue.strategies} == set(asked)


def test_the_pools_that_docs_speak_of_are_judged():
    assert templates.names() == JUDGED


@pytest.mark.parametrize("name", JUDGED)
def test_what_is_drawn_scatters_around_what_was_recorded(name):
    pool = recorded(name, templates.judged_file(name))
    rng = random.Random(1)
    lines = judging.read(templates.judged_file(name))
    best = max(
        (o.design for o in lines if isinstance(o, judging.Outcome) and o.pairs),
        key=pool.truth,
    )
    assert pool.truth(best) == pool.optimum > math.log(2)
    assert pool.truth(pool.space.start) == 0.0
    assert pool.verification(best).passed
    pairs = tuple(pool.pair(None, best, rng) for _ in range(400))
    drawn = pair_values(Duel(champion="a", candidate="b", pairs=pairs), Policy())
    assert fmean(drawn) == pytest.approx(pool.optimum, abs=0.05)
    noise = tuple(pool.pair(None, None, rng) for _ in range(400))
    around = pair_values(Duel(champion="a", candidate="a", pairs=noise), Policy())
    assert fmean(around) == pytest.approx(0.0, abs=0.05)


def test_the_measure_of_ideas_refuses_tuning_and_lets_another_algorithm_pass():
    pool = recorded("softmax_rows", templates.judged_file("softmax_rows"))
    online, streaming = (3, 0, 0, 0, 0), (0, 0, 0, 0, 1)
    assert pool.similar(streaming, None)
    assert not pool.similar(online, None)


def test_a_pool_that_is_not_judged_to_its_end_is_refused(tmp_path):
    name = JUDGED[0]
    lines = templates.judged_file(name).read_text().splitlines()
    half = tmp_path / "judged.jsonl"
    half.write_text("\n".join(lines[: len(lines) // 2]))
    with pytest.raises(Unjudged, match="are not judged"):
        recorded(name, half)
    with pytest.raises(Unjudged, match="no judged pool"):
        recorded(name, tmp_path / "none.jsonl")


def test_a_recorded_pool_is_read_once():
    name = JUDGED[0]
    one = recorded(name, templates.judged_file(name))
    assert isinstance(one, Recorded)
    assert one is recorded(name, templates.judged_file(name))
