"""`guard.bound`: the arithmetic of the speed of light by tables, and what is faster than it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.bound import beyond_light, bound, fraction, matrix_rate, resource_times_ms
from guard.domain.bound import Bound, Ceilings, Work
from guard.domain.decision import Policy, Verdict
from guard.gate import decide
from tests.guard.duels import QUIET, duel, pair, timing, verification

MI = 2**20
GPU = Ceilings(
    identity={},
    bytes_per_s={"read": 1e12, "write": 8e11, "copy": 9e11, "cached copy": 4e12},
    matrix_flops_per_s={"float32": 1e14, "bfloat16": 2e14, "float8_e4m3fn": 4e14},
    simple_ops_per_s=1.2e13,
    special_ops_per_s=1e12,
    node_ms=0.001,
    cache_bytes=50 * MI,
    cold=True,
)
CPU = GPU.model_copy(update={"cold": False, "node_ms": None})


def work(**amounts) -> Work:
    return Work(**{"read_bytes": 0, "written_bytes": 0} | amounts)


BOUNDS = [
    # work, ceilings, ms, what binds
    pytest.param(work(read_bytes=10**9), GPU, 1.0, "memory", id="reads"),
    pytest.param(
        work(read_bytes=10**9, written_bytes=10**9),
        GPU,
        20 / 9,
        "memory",
        id="one bus for both ways",
    ),
    pytest.param(
        work(read_bytes=10**9, written_bytes=3 * 10**9),
        GPU,
        20 / 9 + 2.5,
        "memory",
        id="the rest at the rate of writes",
    ),
    pytest.param(
        work(read_bytes=10, matrix_flops={"bfloat16": 2e11}), GPU, 1.0, "matrix bfloat16", id="bf16"
    ),
    pytest.param(work(matrix_flops={"float32": 2e11}), GPU, 1.0, "matrix float32", id="fp32"),
    pytest.param(work(simple_ops=1.2e10), GPU, 1.0, "fp32", id="element-wise"),
    pytest.param(
        work(special_ops=2e9), GPU, 1.0, "special functions", id="exponentials, half by polynomials"
    ),
    pytest.param(work(read_bytes=10), GPU, 0.001, "latency", id="a node of a graph"),
    pytest.param(work(read_bytes=4 * 10**6), CPU, 0.001, "memory", id="on a CPU it may be cached"),
    pytest.param(work(read_bytes=4 * 10**9), CPU, 4.0, "memory", id="too large for its cache"),
]


@pytest.mark.parametrize(("amounts", "best", "expected_ms", "resource"), BOUNDS)
def test_the_slowest_resource_binds(amounts, best, expected_ms, resource):
    # A product in float32 may be had at the rate of another wide dtype, never of a narrower one.
    best = best.model_copy(
        update={"matrix_flops_per_s": {**best.matrix_flops_per_s, "float32": 2e14}}
    )
    found = bound(amounts, best)
    assert found is not None
    assert found.resource == resource
    assert found.bound_ms == pytest.approx(expected_ms)


def test_what_takes_no_time_has_no_bound():
    assert bound(work(), CPU) is None


RATES = [
    pytest.param("bfloat16", 2e14, id="its own"),
    pytest.param("float16", 2e14, id="as wide"),
    pytest.param("float32", 1e14, id="no narrower one"),
    pytest.param("int8", 4e14, id="eight bits"),
    pytest.param("float64", None, id="nothing as wide was measured"),
]


@pytest.mark.parametrize(("dtype", "expected"), RATES)
def test_operands_may_be_widened_before_a_product(dtype, expected):
    assert matrix_rate(dtype, GPU) == expected


def test_a_resource_that_was_not_measured_binds_nothing():
    bare = Ceilings(identity={}, bytes_per_s={"copy": 1e12})
    amounts = work(read_bytes=1, matrix_flops={"bfloat16": 1.0}, simple_ops=1.0, special_ops=1.0)
    assert set(resource_times_ms(amounts, bare)) == {"memory"}


LIMITS = [
    # work, ceilings, limit in ms, calls
    pytest.param(work(read_bytes=1000 * MI), GPU, 0.0, 0, id="bytes that might be spared"),
    pytest.param(work(read_bytes=10**9, needs_bytes=True), CPU, 0.0, 0, id="a CPU has none"),
    pytest.param(
        work(read_bytes=1000 * MI, needs_bytes=True), GPU, 0.98 * 1000 * MI / 1e9, 5, id="reads"
    ),
    pytest.param(
        work(read_bytes=100 * MI, written_bytes=50 * MI, needs_bytes=True),
        GPU, 0.98 * 100 * MI / 1e9, 50, id="writes that the cache can hold",
    ),
    pytest.param(
        work(read_bytes=100 * MI, written_bytes=80 * MI, needs_bytes=True),
        GPU, 0.98 * 130 * MI / 1e9, 50, id="writes beyond it",
    ),
    pytest.param(
        work(matrix_flops={"bfloat16": 4e11}, needs_flops=True),
        GPU, 0.98 * 0.875, 0, id="products at the fastest rate of all, less a step of Strassen",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("amounts", "best", "limit_ms", "calls"), LIMITS)
def test_a_limit_counts_only_what_nobody_can_do_without(amounts, best, limit_ms, calls):
    found = bound(amounts, best)
    assert found is not None
    assert found.limit_ms == pytest.approx(limit_ms)
    assert found.limit_calls == calls


AMOUNTS = st.builds(
    Work,
    read_bytes=st.integers(0, 10**12),
    written_bytes=st.integers(0, 10**12),
    matrix_flops=st.dictionaries(
        st.sampled_from(["float32", "bfloat16"]), st.floats(0, 1e18), max_size=2
    ),
    simple_ops=st.floats(0, 1e15),
    special_ops=st.floats(0, 1e15),
    needs_bytes=st.booleans(),
    needs_flops=st.booleans(),
)


@given(AMOUNTS)
def test_a_limit_never_lies_above_its_bound(amounts):
    found = bound(amounts, GPU)
    assert found is not None
    assert found.limit_ms <= found.bound_ms


@given(AMOUNTS, st.integers(0, 10**12))
def test_more_bytes_never_lower_a_bound(amounts, more):
    larger = amounts.model_copy(update={"read_bytes": amounts.read_bytes + more})
    before, after = bound(amounts, GPU), bound(larger, GPU)
    assert before is not None
    assert after is not None
    assert after.bound_ms >= before.bound_ms
    assert after.limit_ms >= before.limit_ms


@given(AMOUNTS, st.floats(1, 1000))
def test_a_faster_device_never_has_a_higher_bound(amounts, factor):
    faster = GPU.model_copy(
        update={"bytes_per_s": {p: rate * factor for p, rate in GPU.bytes_per_s.items()}}
    )
    before, after = bound(amounts, GPU), bound(amounts, faster)
    assert before is not None
    assert after is not None
    assert after.bound_ms <= before.bound_ms


def test_the_bound_fraction_is_one_at_the_speed_of_light():
    assert fraction(0.5, 0.5) == 1.0
    assert fraction(0.5, 2.0) == 0.25


FAST = [
    # gain over a champion of 1 ms, the limit in ms, the calls it needs, whether it is suspect
    pytest.param(0.5, 0.7, 8, True, id="faster than light"),
    pytest.param(0.5, 0.6, 8, False, id="slower than light"),
    pytest.param(0.5, 0.0, 8, False, id="the bound is an estimate alone"),
    pytest.param(0.5, 0.7, 9, False, id="too few calls in a block to leave the cache"),
    pytest.param(-0.5, 2.0, 8, True, id="slower than the champion, and both too fast"),
]


@pytest.mark.parametrize(("gain", "limit_ms", "calls", "suspect"), FAST)
def test_what_is_faster_than_light_is_suspect(gain, limit_ms, calls, suspect):
    known = Bound(bound_ms=2.0, resource="memory", limit_ms=limit_ms, limit_calls=calls)
    fought = duel(*({"a": gain} for _ in range(3)))
    decision = decide(verification("a"), fought, Policy(), QUIET, (), {"a": known})
    assert (decision.verdict is Verdict.SUSPECT) is suspect
    assert ("work was skipped" in decision.reason) is suspect


def test_the_sentence_gives_the_figures():
    known = Bound(bound_ms=0.8, resource="matrix bfloat16", limit_ms=0.75)
    told = beyond_light(duel({"a": 0.5}), {"a": known, "b": known})
    assert "took 606.5 us on workload 'a'" in told
    assert "needs at least 750 us" in told
    assert "the bound is 800 us, matrix bfloat16" in told


def test_one_hurried_pair_of_three_proves_nothing():
    timings = (timing("a", [gain] * 3) for gain in (0.0, 2.0, 0.0))
    fought = duel().model_copy(
        update={"pairs": tuple(pair(number, t) for number, t in enumerate(timings))}
    )
    assert not beyond_light(fought, {"a": Bound(bound_ms=1, resource="memory", limit_ms=0.9)})
