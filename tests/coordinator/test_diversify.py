"""Which strategy is handed out, and the sentence that says why."""

import pytest

from coordinator.catalogue import load
from coordinator.diversify import Past, Situation, choose

CATALOGUE = load()
SOFTMAX = frozenset({"normalisation"})


def situation(**changes: object) -> Situation:
    return Situation.model_validate({"device_kind": "cpu", "families": SOFTMAX, **changes})


def past(*strategies: str, win: float | None = None) -> tuple[Past, ...]:
    return tuple(Past(strategy=s, lane=s.split(".")[0], win=win) for s in strategies)


def test_three_agents_in_a_row_get_three_lanes():
    held: tuple[str, ...] = ()
    for _ in range(3):
        choice = choose(CATALOGUE, situation(held=frozenset(held), history=past(*held)))
        assert choice is not None
        assert "Nobody has tried" in choice.reason
        held = (*held, choice.strategy.id)

    assert len({s.split(".")[0] for s in held}) == 3


CHOICES = [
    # what the situation says, expected lane or strategy, part of the reason
    pytest.param({}, "library.fused-op", "Nobody has tried", id="the first of all"),
    pytest.param({"prefer": "memory.resident-row"}, "memory.resident-row", "asked", id="wish"),
    pytest.param({"prefer": "compute"}, "compute.polynomial-exp", "asked", id="wish for a lane"),
    pytest.param(
        {"prefer": "compute.register-tile"},
        "compute.register-tile",
        "asked",
        id="a wish goes beyond the guess of families",
    ),
    pytest.param(
        {"prefer": "compute", "held": {"compute.polynomial-exp"}},
        "compute.independent-chains",
        "asked",
        id="wish for a lane, the first is held",
    ),
    pytest.param(
        {
            "prefer": "memory.resident-row",
            "held": {"memory.resident-row"},
            "history": past("memory.resident-row"),
        },
        "library.fused-op",
        "another agent holds it",
        id="a held wish",
    ),
    pytest.param(
        {"prefer": "arch-native.wgmma"}, "library.fused-op", "kind 'cpu'", id="wrong device"
    ),
    pytest.param(
        {
            "prefer": "memory.resident-row",
            "avoid_lane": "memory",
            "history": past("memory.vector-loads"),
        },
        "library.fused-op",
        "reached a plateau",
        id="no way back into the lane of the plateau",
    ),
    pytest.param(
        {"avoid_lane": "library", "history": past("library.fused-op")},
        "memory.vector-loads",
        "so you change lanes",
        id="after drafting",
    ),
    pytest.param(
        {"held": {"library.fused-op"}, "history": past("library.fused-op")},
        "memory.vector-loads",
        "Nobody",
        id="not beside a sibling",
    ),
]


@pytest.mark.parametrize(("changes", "expected", "reason"), CHOICES)
def test_the_choice_says_why(changes, expected, reason):
    choice = choose(CATALOGUE, situation(**changes))

    assert choice is not None
    assert choice.strategy.id == expected
    assert reason in choice.reason


def tried(lanes: tuple[str, ...], **wins: float) -> tuple[Past, ...]:
    firsts = {lane: next(s for s in CATALOGUE.strategies if s.lane == lane).id for lane in lanes}
    return tuple(p for lane, s in firsts.items() for p in past(s, win=wins.get(lane)))


def test_untried_lanes_come_before_lanes_with_wins():
    history = tried(CATALOGUE.lanes[:-1], memory=3.0)

    choice = choose(CATALOGUE, situation(history=history))

    assert choice is not None and choice.strategy.lane == CATALOGUE.lanes[-1]


def test_lanes_with_the_best_win_come_next_and_an_untried_strategy_of_them():
    history = tried(CATALOGUE.lanes, memory=1.5, compute=3.0)

    choice = choose(CATALOGUE, situation(history=history))

    assert choice is not None and choice.strategy.id == "compute.independent-chains"
    assert "3.00 times" in choice.reason


def test_without_any_win_the_least_tried_strategy_comes():
    history = tried(CATALOGUE.lanes)

    choice = choose(CATALOGUE, situation(history=history))

    assert choice is not None and choice.strategy.id not in {p.strategy for p in history}
    assert "no win yet" in choice.reason


def test_expired_strategies_are_handed_out_last():
    fitting = CATALOGUE.fitting("cpu", SOFTMAX)
    all_but_one = frozenset(s.id for s in fitting[1:])
    first = frozenset({fitting[0].id})

    waiting = choose(CATALOGUE, situation(expired=first))
    pressed = choose(CATALOGUE, situation(expired=first, held=all_but_one))

    assert waiting is not None and waiting.strategy.id not in first
    assert pressed is not None and pressed.strategy.id in first


def test_nothing_is_chosen_when_all_are_held_or_lead_back_to_the_plateau():
    fitting = CATALOGUE.fitting("cpu", SOFTMAX)
    others = frozenset(s.id for s in fitting if s.lane != "memory")

    assert choose(CATALOGUE, situation(held={s.id for s in fitting})) is None
    assert choose(CATALOGUE, situation(held=others, avoid_lane="memory")) is None
