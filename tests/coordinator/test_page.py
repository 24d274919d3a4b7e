"""The page about the strategies: current, and complete."""

import pytest

from coordinator import page
from coordinator.catalogue import load
from coordinator.predicates import WORDS


def test_the_page_is_current():
    assert page.TARGET.read_text(encoding="utf-8") == page.page(load())


@pytest.mark.parametrize("strategy", load().strategies, ids=lambda strategy: strategy.id)
def test_every_strategy_is_there_with_all_that_its_predicate_looks_for(strategy):
    _, _, rest = page.page(load()).partition(f"### {strategy.id}\n")
    entry = rest.partition("\n#")[0]

    assert strategy.idea in entry
    told = entry.partition("- Shown by ")[2]
    parts = getattr(strategy.shown_by, next(iter(type(strategy.shown_by).model_fields)))
    for part in parts:
        assert f"  - `{part}`" in told


def test_the_introduction_explains_every_word_of_the_vocabulary():
    text = page.INTRODUCTION.read_text(encoding="utf-8")

    assert [word for word in WORDS if f"`{word}`" not in text] == []
