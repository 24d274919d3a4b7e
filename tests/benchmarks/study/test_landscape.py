from itertools import product

import pytest

from benchmarks.study.landscape import Landscape, Parameters

SMALL = Parameters(lanes=3, ideas=3, options=2, bonds=0.6, dead_ideas=0.3, dead_tunings=0.3)


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_is_what_trying_every_design_finds(seed):
    landscape = Landscape(SMALL, seed)
    sizes = [range(len(knob.options)) for knob in landscape.space.knobs]
    gains = [landscape.gain(design) for design in product(*sizes)]
    assert landscape.optimum() == pytest.approx(max(g for g in gains if g is not None))
    assert None in gains


@pytest.mark.parametrize("seed", range(6))
def test_the_plain_design_passes_and_gains_nothing(seed):
    landscape = Landscape(Parameters(), seed)
    assert landscape.gain(landscape.space.start) == pytest.approx(0.0)


def test_a_seed_gives_one_landscape():
    one, same, other = (Landscape(SMALL, seed) for seed in (1, 1, 2))
    assert one.optimum() == same.optimum() != other.optimum()


def test_combinations_are_worth_more_or_less_than_their_parts():
    landscape = Landscape(SMALL.model_copy(update={"ruggedness": 0.0}), 2)
    alone, apart = landscape.gain((1, *[0] * 8)), landscape.gain((0, 0, 0, 1, *[0] * 5))
    both = landscape.gain((1, 0, 0, 1, *[0] * 5))
    assert None not in (alone, apart, both)
    assert both != pytest.approx(alone + apart)


def test_every_strategy_turns_the_knobs_of_its_lane():
    space = Landscape(SMALL, 1).space
    assert len(space.angles) == SMALL.lanes * (SMALL.ideas - 1)
    for angle in space.angles:
        knobs = [*angle.tunes, *(knob for knob, _ in angle.core)]
        assert {space.knobs[knob].lane for knob in knobs} == {angle.lane}
