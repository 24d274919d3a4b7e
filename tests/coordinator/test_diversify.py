"""Which strategy is handed out, and the sentence that says why."""

import pytest

from coordinator import ranking
from coordinator.diversify import Choice, choose
from coordinator.situation import Left, Phase, Situation
from guard.domain.decision import Policy
from tests.coordinator.efforts import CATALOGUE, POLICY, SOFTMAX, effort, firsts, situation

FOUR = ("library", "memory", "compute", "fusion")
FIRST = {s.lane: s.id for s in reversed(CATALOGUE.fitting("cpu", SOFTMAX))}


def chosen(found: Situation, policy: Policy = POLICY) -> Choice:
    choice = choose(CATALOGUE, found, policy)
    assert choice is not None
    return choice


def claimed(*strategies: str) -> dict[str, object]:
    return {"held": set(strategies), "efforts": tuple(effort(s) for s in strategies)}


def left(strategy: str, **more: object) -> Left:
    lane = strategy.partition(".")[0]
    return Left.model_validate({"strategy": strategy, "lane": lane, **more})


# --- exploring --------------------------------------------------------------------------------


def test_agents_in_a_row_get_a_lane_each_until_all_lanes_have_one():
    lanes = {s.lane for s in CATALOGUE.fitting("cpu", SOFTMAX)}
    held: tuple[str, ...] = ()
    for _ in lanes:
        choice = chosen(situation(**claimed(*held)))
        assert choice.reason.startswith("Explore: nobody has tried")
        held = (*held, choice.strategy)

    assert {s.split(".")[0] for s in held} == lanes


CHOICES = [
    # what the situation says, expected strategy, part of the reason
    pytest.param({}, "library.fused-op", "nobody has tried", id="the first of all"),
    pytest.param({"prefer": "memory.resident-row"}, "memory.resident-row", "asked", id="wish"),
    pytest.param({"prefer": "compute"}, "compute.polynomial-exp", "asked", id="wish for a lane"),
    pytest.param(
        {"prefer": "compute.register-tile"},
        "compute.register-tile",
        "asked",
        id="a wish goes beyond the guess of families",
    ),
    pytest.param(
        {"prefer": "compute", **claimed("compute.polynomial-exp")},
        "compute.independent-chains",
        "asked",
        id="wish for a lane, the first is held",
    ),
    pytest.param(
        {"prefer": "memory.resident-row", **claimed("memory.resident-row")},
        "library.fused-op",
        "another agent holds it",
        id="a held wish",
    ),
    pytest.param(
        {"prefer": "arch-native.wgmma"}, "library.fused-op", "kind 'cpu'", id="wrong device"
    ),
    pytest.param(
        {"prefer": "combine"},
        "library.fused-op",
        "nothing now that could be combined",
        id="nothing to combine",
    ),
    pytest.param(
        {"prefer": "memory.resident-row", "left": left("memory.vector-loads", exhausted=True)},
        "library.fused-op",
        "reached a plateau",
        id="no way back into the lane of the plateau",
    ),
    pytest.param(
        {"left": left("library.fused-op", exhausted=True), "efforts": firsts("library")},
        "memory.vector-loads",
        "so you change lanes",
        id="after a plateau",
    ),
    pytest.param(
        claimed("library.fused-op"), "memory.vector-loads", "nobody", id="not beside a sibling"
    ),
    pytest.param(
        {"resource": "fp32", "reached": 0.3},
        "library.fused-op",
        "fp32 binds the champion at 30% of the bound, which it is for",
        id="what binds is told",
    ),
    pytest.param(
        {"resource": "fp32", "reached": 0.3, "efforts": firsts("library", "memory")},
        "compute.polynomial-exp",
        "which it is for",
        id="of untried lanes the one for what binds",
    ),
    pytest.param(
        {"reached": 0.92},
        "scheduling.shape-dispatch",
        "",
        id="what is far below the champion's reach comes later",
    ),
]


@pytest.mark.parametrize(("changes", "expected", "reason"), CHOICES)
def test_the_choice_says_why(changes, expected, reason):
    choice = chosen(situation(**changes))

    assert choice.strategy == expected
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("reported", "wish", "granted"),
    [
        ("sm_90a", "arch-native.wgmma", True),
        ("sm_80", "arch-native.wgmma", False),
        ("sm_100a", "arch-native.wgmma", False),
        ("", "arch-native.wgmma", True),
    ],
)
def test_an_architecture_that_lacks_it_is_no_place_for_a_strategy(reported, wish, granted):
    found = situation(device_kind="nvidia", families={"matmul"}, architecture=reported, prefer=wish)

    choice = chosen(found)

    assert (choice.strategy == wish) is granted
    assert granted or f"does not apply to {reported}" in choice.reason


def test_expired_strategies_are_handed_out_last():
    fitting = CATALOGUE.fitting("cpu", SOFTMAX)
    first = {fitting[0].id}

    waiting = chosen(situation(expired=first))
    pressed = chosen(situation(expired=first, held={s.id for s in fitting[1:]}))

    assert waiting.strategy not in first
    assert pressed.strategy in first


def test_nothing_is_chosen_when_all_are_held_or_lead_back_to_the_plateau():
    fitting = CATALOGUE.fitting("cpu", SOFTMAX)
    others = {s.id for s in fitting if s.lane != "memory"}
    stuck = left("memory.vector-loads", exhausted=True)

    assert choose(CATALOGUE, situation(held={s.id for s in fitting}), POLICY) is None
    assert choose(CATALOGUE, situation(held=others, left=stuck), POLICY) is None


# --- refining ---------------------------------------------------------------------------------


def test_what_pays_is_refined_and_the_record_is_told():
    choice = chosen(situation(efforts=firsts(*FOUR, compute=1.5)))

    assert (choice.lane, choice.phase) == ("compute", Phase.REFINE)
    assert choice.reason == (
        "Refine: lane 'compute' has made the champions that it met 1.50 times as fast; "
        "3 benchmarked there so far, this one is untried."
    )


def test_what_gained_somewhat_less_a_candidate_and_was_hardly_tried_comes_first():
    often = effort(FIRST["compute"], 7.4, tried=20)
    rest = firsts("library", "memory", fusion=0.9)
    near, far = (effort(FIRST["fusion"], speed, tried=3) for speed in (1.3, 1.05))
    every = {s.id for s in CATALOGUE.fitting("cpu", SOFTMAX)}
    others = every - {FIRST["compute"], FIRST["fusion"]}

    apart = Policy(combine_gain=9.0)

    behind = chosen(situation(efforts=(often, near, *rest), expired=others), apart)
    lost = chosen(situation(efforts=(often, far, *rest), expired=others), apart)

    assert behind.strategy == FIRST["fusion"]
    assert lost.strategy == FIRST["compute"]


def test_what_has_stalled_is_refined_last_and_siblings_count_against_a_lane():
    stalled = effort(FIRST["compute"], 2.0, tried=9, exhausted=1)
    rest = firsts("library", "memory", "fusion", memory=1.0)

    after = chosen(situation(efforts=(stalled, *rest)))
    crowd = [s.id for s in CATALOGUE.fitting("cpu", SOFTMAX) if s.lane == "compute"][1:]
    crowded = chosen(
        situation(efforts=(stalled, *rest, *(effort(s) for s in crowd[:-1])), held=set(crowd[:-1]))
    )

    assert after.lane == "compute" and after.strategy != stalled.strategy
    assert crowded.lane != "compute"


def test_what_was_tried_and_gained_nothing_is_no_longer_believed_to_be_like_its_lane():
    won = effort(FIRST["compute"], 2.0, tried=3)
    vain = effort("compute.independent-chains", handed_in=9)
    found = situation(efforts=(won, vain, *firsts("library", "memory", "fusion")))
    option = ranking.Option(strategy=vain.strategy, lane="compute", fits=True)
    other = option.model_copy(update={"strategy": "compute.unrolled-vectors"})

    assert ranking.score(option, found, POLICY) < ranking.score(other, found, POLICY)


def test_an_agent_goes_to_what_is_new_to_it_before_what_it_gave_back_and_then_in_turn():
    efforts = firsts(*FOUR, compute=2.0)
    free = {FIRST["compute"], FIRST["memory"]}
    others = {s.id for s in CATALOGUE.fitting("cpu", SOFTMAX)} - free
    once, twice = (FIRST["compute"],), (FIRST["compute"], FIRST["memory"], FIRST["compute"])

    fresh, after, in_turn = (
        chosen(situation(efforts=efforts, held=others, given_back=given_back))
        for given_back in ((), once, twice)
    )

    assert fresh.strategy == FIRST["compute"]
    assert after.strategy == FIRST["memory"]
    assert in_turn.strategy == FIRST["memory"]


DEPTH = [
    # how the claim ended, whether it comes back
    pytest.param({"phase": "refine", "benchmarked": 2}, True, id="one candidate too few"),
    pytest.param({"phase": "refine", "benchmarked": 3}, False, id="deep enough"),
    pytest.param({"phase": "explore", "benchmarked": 0}, False, id="exploring owes no depth"),
    pytest.param({"benchmarked": 0}, False, id="handed out by an earlier version"),
    pytest.param({"phase": "refine", "handed_in": 8}, False, id="nothing of it works"),
    pytest.param({"phase": "refine", "exhausted": True}, False, id="ended at its plateau"),
    pytest.param({"phase": "refine", "sent_away": True}, False, id="told to claim otherwise"),
]


@pytest.mark.parametrize(("ended", "comes_back"), DEPTH)
def test_what_was_left_before_its_depth_comes_back_whatever_is_wished(ended, comes_back):
    last = left("memory.resident-row", **ended)
    found = situation(efforts=firsts(*FOUR), left=last, prefer="fusion")

    choice = chosen(found)

    assert (choice.strategy == last.strategy) is comes_back
    if comes_back:
        assert choice.reason.startswith("Refine: you left it after 2 of 3 benchmarked candidates")
        taken = found.model_copy(update={"held": frozenset({last.strategy})})
        assert chosen(taken).lane == "fusion"
