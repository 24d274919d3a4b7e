"""The phase a problem is in, and what is composed of what it has brought."""

import pytest

from coordinator.composites import Composite, dispatches, pairs, parse
from coordinator.diversify import choose
from coordinator.phases import phase_of
from coordinator.situation import Mark, Phase, Situation
from tests.coordinator.efforts import CATALOGUE, POLICY, SOFTMAX, effort, firsts, owner, situation

FOUR = ("library", "memory", "compute", "fusion")
FIRST = {s.lane: s.id for s in reversed(CATALOGUE.fitting("cpu", SOFTMAX))}
WON = {"memory": 1.5, "compute": 1.3}
BOTH = f"combine.{FIRST['compute']}+{FIRST['memory']}"
SPLIT = (
    owner("small", 3, FIRST["compute"], 1.2),
    owner("large", 2, FIRST["memory"]),
)
DISPATCH = f"per-shape.{FIRST['compute']}+{FIRST['memory']}"

PHASES = [
    # what the record holds, phase
    pytest.param({}, Phase.EXPLORE, id="nothing yet"),
    pytest.param({"efforts": firsts(*FOUR[:3])}, Phase.EXPLORE, id="one lane too few"),
    pytest.param(
        {"efforts": (*firsts(*FOUR[:3]), effort("fusion.one-pass"))},
        Phase.EXPLORE,
        id="a claim without a candidate is no exploring",
    ),
    pytest.param(
        {"efforts": (*firsts(*FOUR[:3]), effort("fusion.one-pass", handed_in=8))},
        Phase.REFINE,
        id="a lane in which nothing works is explored as well",
    ),
    pytest.param({"efforts": firsts(*FOUR)}, Phase.REFINE, id="four lanes"),
    pytest.param({"efforts": firsts(*FOUR, memory=1.5)}, Phase.REFINE, id="one win"),
    pytest.param({"efforts": firsts(*FOUR, **WON)}, Phase.COMBINE, id="two wins"),
    pytest.param({"efforts": firsts(*FOUR[:3], **WON)}, Phase.EXPLORE, id="two wins too early"),
    pytest.param(
        {"efforts": (*firsts(*FOUR, **WON), effort(BOTH, tried=3))},
        Phase.REFINE,
        id="they were combined",
    ),
    pytest.param(
        {"efforts": (*firsts(*FOUR, **WON), effort(BOTH, tried=2))},
        Phase.COMBINE,
        id="they were not combined in earnest",
    ),
    pytest.param(
        {"efforts": firsts(*FOUR, **WON), "frontier": SPLIT, "champion": 2},
        Phase.PER_SHAPE,
        id="two owners",
    ),
    pytest.param(
        {"efforts": (*firsts(*FOUR), effort(DISPATCH, tried=3)), "frontier": SPLIT, "champion": 2},
        Phase.REFINE,
        id="the dispatch was built",
    ),
]


@pytest.mark.parametrize(("record", "phase"), PHASES)
def test_the_record_tells_the_phase(record: dict[str, object], phase: Phase):
    found = situation(**record)

    assert phase_of(CATALOGUE, found, POLICY) is phase
    # Who holds what changes nothing of it.
    everything = frozenset(s.id for s in CATALOGUE.strategies)
    assert phase_of(CATALOGUE, found.model_copy(update={"held": everything}), POLICY) is phase


def test_fewer_lanes_are_enough_where_fewer_apply():
    strict = POLICY.model_copy(update={"explore_lanes": 99})
    lanes = tuple(dict.fromkeys(s.lane for s in CATALOGUE.fitting("cpu", SOFTMAX)))

    assert phase_of(CATALOGUE, situation(efforts=firsts(*lanes)), strict) is Phase.REFINE


def test_two_wins_give_a_combination_that_names_both():
    choice = choose(CATALOGUE, situation(efforts=firsts(*FOUR, **WON)), POLICY)

    assert choice is not None
    assert (choice.strategy, choice.lane) == (BOTH, "combine")
    assert choice.parents == (2, 3)
    assert choice.phase is Phase.COMBINE
    assert "submissions 2 and 3 won in different lanes (compute, memory)" in choice.reason


def test_of_wins_that_siblings_combine_already_nothing_else_is_made():
    record = {"efforts": firsts(*FOUR, memory=1.5, compute=1.45, fusion=1.4, library=1.3)}
    rest = f"combine.{'+'.join(sorted((FIRST['fusion'], FIRST['library'])))}"

    second = choose(CATALOGUE, situation(**record, held={BOTH}), POLICY)
    last = choose(CATALOGUE, situation(**record, held={BOTH, rest}), POLICY)

    # Four more pairs have a win in common with the first.
    assert len(pairs(situation(**record), POLICY)) == 6
    assert second is not None and second.strategy == rest
    assert last is not None and last.phase is Phase.REFINE


def holding(strategy: str, speedup: float, *follows: str):
    """A strategy whose best submission shows others' ideas as well."""
    return of(strategy, speedup=speedup, follows=frozenset(follows))


def of(strategy: str, **mark: object):
    """A strategy whose best submission is its win as well."""
    told = {"submission_id": 9, "speedup": 1.3, "low": 1.2, "over_parents": 1.3, **mark}
    best = Mark.model_validate(told)
    return effort(strategy).model_copy(update={"best": best, "win": best})


NO_PAIRS = [
    pytest.param(
        (*firsts("memory", memory=1.5), holding(FIRST["compute"], 1.6, FIRST["memory"], "a.b")),
        id="one that holds both ideas",
    ),
    pytest.param(
        (
            *firsts("memory", "compute", memory=1.1, compute=1.1),
            holding(FIRST["fusion"], 1.3, FIRST["memory"], FIRST["compute"]),
        ),
        id="both gains together are behind the champion",
    ),
    pytest.param(firsts(*FOUR, memory=1.5, compute=1.01), id="too small a win"),
    pytest.param(
        (*firsts("memory", memory=1.5), effort("memory.streaming-stores", 1.4, id_=9)),
        id="the same lane",
    ),
    pytest.param(
        (
            *firsts("memory", memory=1.5),
            of(FIRST["compute"], low=0.99),
        ),
        id="an interval that holds one",
    ),
    pytest.param(
        (*firsts("memory", memory=1.5), of(FIRST["compute"], speedup=1.49, over_parents=0.99)),
        id="one that owes its speed to what it grew from",
    ),
]


@pytest.mark.parametrize("efforts", NO_PAIRS)
def test_what_is_no_two_wins_of_different_lanes_is_not_combined(efforts):
    assert pairs(situation(efforts=efforts), POLICY) == ()


def test_a_combination_that_won_is_combined_further_and_never_with_its_own_parts():
    third = effort(BOTH, 1.9, id_=20, tried=3)
    found = pairs(situation(efforts=(*firsts(*FOUR, fusion=1.2, **WON), third)), POLICY)

    triple = f"combine.{'+'.join(sorted((FIRST['compute'], FIRST['fusion'], FIRST['memory'])))}"
    assert [(c.id, c.parents) for c in found if 20 in c.parents] == [(triple, (20, 5 - 1))]
    assert BOTH not in {c.id for c in found}


def test_a_wish_for_a_combination_is_granted_by_its_id_and_by_its_lane():
    record = {"efforts": firsts(*FOUR, **WON), "frontier": SPLIT, "champion": 2}
    for wish in (BOTH, "combine"):
        choice = choose(CATALOGUE, situation(**record, prefer=wish), POLICY)
        assert choice is not None
        assert (choice.strategy, choice.parents) == (BOTH, (2, 3))


def test_two_owners_give_a_dispatch_that_names_both_and_its_promise():
    found = situation(efforts=firsts(*FOUR, **WON), frontier=SPLIT, champion=2)
    choice = choose(CATALOGUE, found, POLICY)

    assert choice is not None
    assert (choice.strategy, choice.lane, choice.parents) == (DISPATCH, "per-shape", (2, 3))
    assert "submissions 2 and 3 are each the fastest on some workloads" in choice.reason
    assert "promises 9.1% over the champion" in choice.reason


NO_DISPATCH = [
    pytest.param((SPLIT[1],), 2, id="the champion owns all"),
    pytest.param((owner("small", 3, FIRST["compute"], 1.02), SPLIT[1]), 2, id="a lead by chance"),
    pytest.param((SPLIT[0], owner("large", 3, FIRST["compute"], 1.1)), 2, id="one owner of all"),
    pytest.param(
        (owner("w0", 3, FIRST["compute"], 1.04), *(owner(f"w{n}", 2, "x.y") for n in range(1, 9))),
        2,
        id="too small a promise",
    ),
    pytest.param((SPLIT[0], owner("large", 0, "")), 0, id="the baseline is no submission"),
]


@pytest.mark.parametrize(("frontier", "champion"), NO_DISPATCH)
def test_without_two_owners_there_is_nothing_to_dispatch(frontier, champion):
    found = situation(frontier=frontier, champion=champion)

    assert dispatches(found, POLICY) == ()


def test_an_id_tells_what_a_composite_is_made_of():
    assert parse(BOTH) == Composite(lane="combine", parts=(FIRST["compute"], FIRST["memory"]))
    assert parse(BOTH).id == BOTH
    assert parse("memory.vector-loads") is None


def test_the_same_situation_gives_the_same_choice_after_a_trip_through_json():
    found = situation(efforts=firsts(*FOUR, **WON), frontier=SPLIT, champion=2, held={BOTH})
    again = Situation.model_validate_json(found.model_dump_json())

    assert choose(CATALOGUE, again, POLICY) == choose(CATALOGUE, found, POLICY)
