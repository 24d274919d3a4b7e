import math

from hypothesis import given, settings
from hypothesis import strategies as st

from guard.domain.trace import Duel
from memory.text import to_text
from tests.memory.builders import duel


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_every_number_survives_exactly(figures: list[float]) -> None:
    told = duel("candidate", tuple(figures))

    assert Duel.model_validate_json(to_text(told)) == told


def test_a_figure_that_is_no_number_can_be_read_back() -> None:
    read = Duel.model_validate_json(to_text(duel("candidate", (math.nan,))))

    assert math.isnan(read.pairs[0].workloads[0].champion_ms[0])


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(codec="utf-8")))
def test_every_text_survives(said: str) -> None:
    told = duel(said)

    assert Duel.model_validate_json(to_text(told)) == told
