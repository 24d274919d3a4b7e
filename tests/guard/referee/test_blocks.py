"""`guard.referee.blocks`: which slots form the blocks, and what their times say of one call."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.referee.blocks import MOST_FIXED, Blocks, Plan, fixed_ms, latencies_ms
from guard.referee.timing import MIN_LONG

MODES = st.sampled_from(["graph", "host"])


@given(long=st.integers(1, 400), mode=MODES)
def test_no_slot_is_in_two_places_of_a_plan(long, mode):
    plan = Plan.of(long, mode)
    assert sorted(plan.slots) == list(range(len(plan.slots)))
    assert len(plan.long) == long
    assert len(plan.short) == max(1, long // 4)
    assert plan.mode == mode


@given(most=st.integers(MIN_LONG + 2, 1000), wanted=st.integers(0, 1000))
def test_a_plan_made_for_so_many_slots_fits_them(most, wanted):
    plan = Plan.of(max(MIN_LONG, min(wanted, most * 4 // 5)), "host")
    assert len(plan.slots) <= most
    assert len(plan.long) > len(plan.short)


def blocks(short_ms, long_ms, short=2, long=8):
    return Blocks(short_ms, long_ms, long - short, long)


LATENCIES = [
    # short and long block, expected ms per call, upper bound
    pytest.param(blocks(2.0, 8.0), 1.0, 1.0, id="no fixed cost"),
    pytest.param(blocks(3.0, 9.0), 1.0, 1.125, id="a fixed cost of 1 ms"),
    pytest.param(blocks(5.0, 5.0), 0.0, 0.625, id="all alike"),
    pytest.param(blocks(8.0, 2.0), -1.0, 0.25, id="a short block that took longer"),
]


@pytest.mark.parametrize(("measured", "slope_ms", "most_ms"), LATENCIES)
def test_the_slope_leaves_out_what_every_block_costs(measured, slope_ms, most_ms):
    assert measured.slope_ms == pytest.approx(slope_ms)
    assert measured.most_ms == pytest.approx(most_ms)


FIXED = [
    pytest.param([blocks(3.0, 9.0)] * 3, 1.0, id="steady"),
    pytest.param([blocks(3.0, 9.0), blocks(3.0, 9.0), blocks(9.0, 9.0)], 1.0, id="one disturbed"),
    pytest.param([blocks(2.0, 12.0)] * 3, 0.0, id="never negative"),
    pytest.param([blocks(5.0, 5.0)] * 3, 5.0 * MOST_FIXED, id="never all of a short block"),
]


@pytest.mark.parametrize(("champion", "expected"), FIXED)
def test_the_fixed_cost_is_the_champions(champion, expected):
    assert fixed_ms(champion) == pytest.approx(expected)


def test_turns_without_a_short_block_tell_no_fixed_cost_and_get_a_figure():
    sloped, bare = blocks(3.0, 9.0), blocks(None, 17.0)
    assert (bare.slope_ms, bare.fixed_ms) == (None, None)
    assert fixed_ms([bare, sloped, bare]) == pytest.approx(1.0)
    assert latencies_ms([bare, sloped], [sloped, bare]) == pytest.approx((2.0, 1.0))


TIMES = st.floats(0.001, 1000)
SOME_BLOCKS = st.lists(st.builds(blocks, TIMES, TIMES), min_size=1, max_size=9)


@given(champion=SOME_BLOCKS)
def test_the_fixed_cost_has_bounds_whatever_was_measured(champion):
    assert 0 <= fixed_ms(champion) < min(b.short_ms for b in champion)


@given(call=st.floats(0.01, 10), cost=st.floats(0, 0.02))
def test_steady_blocks_give_the_time_of_one_call(call, cost):
    steady = [blocks(cost + 2 * call, cost + 8 * call)] * 3
    assert latencies_ms(steady, steady) == pytest.approx([call] * 3)


# A candidate shares its process with what replays its recorded calls: it can sleep there as well.
@given(champion=SOME_BLOCKS, candidate=SOME_BLOCKS, dawdle=TIMES)
def test_a_longer_short_block_makes_no_candidate_faster(champion, candidate, dawdle):
    slowed = [Blocks(b.short_ms + dawdle, b.long_ms, b.calls, b.long_calls) for b in candidate]
    before = latencies_ms(candidate, champion)
    after = latencies_ms(slowed, champion)
    assert all(b >= a for a, b in zip(before, after, strict=True))


@given(champion=SOME_BLOCKS, candidate=SOME_BLOCKS)
def test_nobody_is_charged_less_more_than_the_champions_fixed_cost(champion, candidate):
    most = latencies_ms(candidate, champion)
    told = latencies_ms(candidate, champion, overlaps=True)
    assert all(a >= b for a, b in zip(told, most, strict=True))


@given(early=st.floats(0, 1.5))
def test_who_says_done_early_in_every_block_is_no_faster_for_it(early):
    honest = [blocks(1.0 + 2, 1.0 + 8)] * 3
    hasty = [blocks(1.0 + 2 - early, 1.0 + 8 - early)] * 3
    assert latencies_ms(hasty, honest, overlaps=True) == pytest.approx([1.0] * 3)


def test_a_handicapped_side_calls_more_slots_than_are_counted():
    plan = Plan.of(100, "graph", 0.02)
    plain, slower = (plan.block(long=True, handicap=h) for h in (0.0, 0.02))
    assert (len(plain), len(slower)) == (100, 102)
    assert plan.drawn(long=True) == slower
    assert plan.block(long=False, handicap=0.02) == plan.short
    assert plan.slots == tuple(range(25 + 100 + 2))
