"""What serves a reader most, from values alone."""

from itertools import permutations

import pytest

from coordinator.plateau import Stage
from coordinator.relevance import View, drafts, in_turn, ranked
from memory.conclusion import Conclusion, ConclusionKind

MINE, LANE, OTHER = "memory.tiling", "memory.wide-loads", "fusion.one-pass"


def conclusion(
    seq: int,
    kind: ConclusionKind,
    strategy: str = OTHER,
    speedup: float | None = None,
    why: str = "",
) -> Conclusion:
    return Conclusion(
        seq=seq, campaign_id=1, claim_id="c", token="local", agent="ada", strategy=strategy,
        lane=strategy.partition(".")[0], kind=kind, note="", reflection="", submission_ids=(1,),
        speedup=speedup, posted_s=0, overturned=(why,) if why else (),
    )  # fmt: skip


FOUND = [
    conclusion(1, "win", speedup=1.5),
    conclusion(2, "win", MINE, speedup=1.3),
    conclusion(3, "win", LANE, speedup=1.3),
    conclusion(4, "win", speedup=1.3),
    conclusion(5, "win", MINE, speedup=9.0, why="submission 1 was revoked"),
    conclusion(6, "trap"),
    conclusion(7, "trap", LANE),
    conclusion(8, "trap", MINE),
    conclusion(9, "trap"),
]
SHOWN = [
    # where the reader stands, numbers in the order shown
    pytest.param(
        View(strategy=MINE, lane="memory"), [2, 1, 3, 4, 5, 8, 7, 9, 6], id="who refines: wins"
    ),
    pytest.param(
        View(strategy=MINE, lane="memory", drafts=True), [8, 7, 9, 6, 2, 1, 3, 4, 5],
        id="who drafts: traps",
    ),
    pytest.param(View(), [1, 4, 3, 2, 5, 9, 8, 7, 6], id="without a claim: gain, then the newest"),
]  # fmt: skip


@pytest.mark.parametrize(("view", "expected"), SHOWN)
def test_the_leading_kind_goes_first_and_what_is_near_before_what_is_far(view, expected):
    assert [one.seq for one in ranked(FOUND, view)] == expected


def test_neither_kind_is_ever_silent():
    taken = in_turn(FOUND, View(strategy=MINE, lane="memory", drafts=True))
    assert [one.seq for one in taken] == [8, 7, 2, 9, 6, 1, 3, 4, 5]


def test_the_order_in_which_they_come_makes_no_difference():
    some = FOUND[3:8]
    assert len({ranked(order, View(lane="memory")) for order in permutations(some)}) == 1


STAGES = [
    pytest.param(Stage.GOING_ON, False, id="it gets somewhere"),
    pytest.param(Stage.NUDGE, True, id="nudged"),
    pytest.param(Stage.DRAFTING, True, id="in drafting"),
    pytest.param(Stage.ANOTHER_LANE, True, id="at its end"),
    pytest.param(Stage.CEILING, False, id="near the bound"),
]


@pytest.mark.parametrize(("stage", "expected"), STAGES)
def test_who_is_stuck_drafts(stage, expected):
    assert drafts(stage) is expected
