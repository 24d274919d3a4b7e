"""Whether candidates follow their strategy: judged from evidence, counted from the record."""

import pytest

from coordinator.adherence import is_nudged, is_refused, judge, off_in_row, see
from coordinator.catalogue import load
from guard.domain.adherence import Adherence
from guard.domain.decision import Policy
from guard.domain.machine_code import Instructions, Kind, Listing
from guard.domain.solution import Solution, Source
from guard.domain.trace import CompileReport
from guard.packed import pack
from memory import views
from memory.adherence import benchmarked
from memory.records import Claim, ClaimState, Job
from tests.coordinator.fakes import FakeReferee, problem
from tests.coordinator.road import Road
from tests.guard.duels import verification

POLICY = Policy()
ON, OFF, UNKNOWN = (Adherence(holds=holds, evidence="") for holds in (True, False, None))
VECTORS = Instructions(kernel="run", total=9, classes={"ymm": 4})
SCALARS = Instructions(kernel="run", total=9, classes={})
STREAMS = Source(path="a.cpp", content="_mm256_stream_ps(y, x);")
PLAIN = Source(path="a.cpp", content="y[0] = x[0];")


def judged(
    strategy: str,
    source: Source = PLAIN,
    *counted: Instructions,
    listings: tuple[Listing, ...] = (),
) -> Adherence:
    """What is found of C++ on a CPU whose machine code was counted like this."""
    solution = Solution(definition="softmax_rows", language="cpp", sources=(source,))
    report = CompileReport(ok=True, instructions=counted, listings=listings)
    found = judge(load(), strategy, see(solution, report), problem().definition, "cpu")
    assert found is not None
    return found


# --- one candidate ----------------------------------------------------------------------------


def test_a_candidate_that_does_what_its_strategy_says_is_on_it_and_what_was_seen_is_told():
    found = judged("memory.unit-stride", PLAIN, VECTORS)

    assert (found.holds, found.evidence) == (True, "ymm: 4 instructions")


def test_one_that_does_not_is_off_it_and_what_is_missing_is_told():
    found = judged("memory.unit-stride", PLAIN, SCALARS)

    assert found.holds is False
    assert found.evidence.startswith("ymm: no instructions in 1 kernels or functions; zmm: no")


def test_what_hangs_on_machine_code_that_nobody_read_cannot_be_told():
    assert judged("memory.unit-stride").holds is None


@pytest.mark.parametrize(
    ("kind", "text", "holds"),
    [("asm", "  10:\tvrcpps %ymm1,%ymm2\n", True), ("asm", "  10:\tret\n", False)],
)
def test_listings_are_unpacked_to_be_looked_at(kind: Kind, text: str, holds: bool):
    found = judged("precision.fast-reciprocal", PLAIN, SCALARS, listings=(pack(kind, text),))

    assert found.holds is holds


@pytest.mark.parametrize("text", [" " * 2**20, "\n" * 2**20, "{ " * 2**19, "/*0*/" + " " * 2**20])
def test_a_listing_made_to_keep_a_reader_busy_is_read_to_its_end(text: str):
    report = CompileReport(ok=True, listings=tuple(pack(k, text) for k in ("asm", "ptx", "sass")))
    seen = see(Solution(definition="d", language="cpp", sources=(PLAIN,)), report)

    assert set().union(*seen.opcodes.values()) == set()


def test_other_strategies_that_it_does_follow_are_told_the_best_founded_first():
    found = judged("library.vector-math", STREAMS, VECTORS)
    catalogue = load()
    points = [
        s.shown_by.judge(see(Solution(definition="d", language="cpp", sources=(STREAMS,)),
                             CompileReport(ok=True, instructions=(VECTORS,)))).points
        for id_ in found.follows if (s := catalogue.get(id_)) is not None
    ]  # fmt: skip

    assert found.holds is False
    assert {"memory.streaming-stores", "memory.unit-stride"} <= set(found.follows)
    assert "library.vector-math" not in found.follows
    assert points == sorted(points, reverse=True) and min(points) > 0
    fitting = catalogue.fitting("cpu", catalogue.families_of(problem().definition))
    assert set(found.follows) <= {s.id for s in fitting if "cpp" in s.applies.languages}


@pytest.mark.parametrize(
    ("strategy", "ok"),
    [
        pytest.param("gone.strategy", True, id="a strategy that left the catalogue"),
        pytest.param("memory.unit-stride", False, id="nothing was compiled"),
    ],
)
def test_without_a_predicate_or_anything_compiled_nothing_is_judged(strategy: str, ok: bool):
    seen = see(Solution(definition="d", language="cpp", sources=(PLAIN,)), CompileReport(ok=ok))

    assert judge(load(), strategy, seen, problem().definition, "cpu") is None


# --- a strategy made of others ------------------------------------------------------------------

STREAMED, STRIDED = "memory.streaming-stores", "memory.unit-stride"


@pytest.mark.parametrize(
    ("strategy", "source", "counted", "holds"),
    [
        pytest.param(f"combine.{STREAMED}+{STRIDED}", STREAMS, VECTORS, True, id="both"),
        pytest.param(f"combine.{STREAMED}+{STRIDED}", STREAMS, SCALARS, False, id="one of two"),
        pytest.param(f"per-shape.{STREAMED}+{STRIDED}", STREAMS, SCALARS, False, id="one branch"),
        pytest.param(
            f"combine.{STRIDED}+library.compiled-graph",
            PLAIN,
            VECTORS,
            None,
            id="the other cannot be written in this language",
        ),
        pytest.param(
            f"combine.{STRIDED}+library.compiled-graph",
            PLAIN,
            SCALARS,
            False,
            id="what can be told still decides",
        ),
    ],
)
def test_a_composite_is_followed_where_each_of_its_parts_is(strategy, source, counted, holds):
    found = judged(strategy, source, counted)

    assert found.holds is holds
    assert not {STREAMED, STRIDED} & set(found.follows) or STREAMED not in strategy


def test_the_limit_of_one_branch_is_not_held_against_a_dispatch():
    two = Source(path="k.py", content="import triton\n@triton.jit\ndef a(x):\n    pass\n"
                 "@triton.jit\ndef b(x):\n    pass\n"
                 "def run(x):\n    a[(1,)](x)\n    b[(1,)](x)\n")  # fmt: skip
    solution = Solution(definition="softmax_rows", language="triton", sources=(two,))
    seen = see(solution, CompileReport(ok=True))

    def holds(strategy: str) -> bool | None:
        found = judge(load(), strategy, seen, problem().definition, "nvidia")
        assert found is not None
        return found.holds

    assert holds("fusion.one-pass") is False
    assert holds("combine.fusion.one-pass+memory.resident-row") is False
    assert holds("per-shape.fusion.one-pass+memory.resident-row") is None


@pytest.mark.parametrize("kind", ["combine", "per-shape"])
def test_a_composite_of_what_is_gone_is_not_judged(kind: str):
    seen = see(Solution(definition="d", language="cpp", sources=(PLAIN,)), CompileReport(ok=True))

    for parts in (f"{STRIDED}+gone.strategy", "gone.strategy"):
        assert judge(load(), f"{kind}.{parts}", seen, problem().definition, "cpu") is None


# --- several in a row -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "off"),
    [
        ([], 0),
        ([OFF], 1),
        ([OFF, OFF], 2),
        ([OFF, OFF, ON], 0),
        ([OFF, ON, OFF], 1),
        ([OFF, UNKNOWN, OFF], 2),
        ([OFF, None, OFF, None], 2),
        ([UNKNOWN, None], 0),
    ],
)
def test_a_row_is_ended_by_one_on_strategy_and_not_by_one_that_cannot_be_told(row, off):
    assert off_in_row(row) == off


@pytest.mark.parametrize(
    ("off", "candidate", "nudged", "refused"),
    [
        (0, OFF, False, False),
        (1, OFF, False, False),
        (2, OFF, True, True),
        (2, ON, True, False),
        (2, UNKNOWN, True, False),
        (2, None, True, False),
    ],
)
def test_after_two_a_nudge_and_of_the_third_only_one_that_strays_is_refused(
    off, candidate, nudged, refused
):
    assert is_nudged(off, POLICY) is nudged
    assert is_refused(off, candidate, POLICY) is refused


def test_the_limits_are_the_campaigns():
    strict = Policy(off_strategy_nudge=1, off_strategy_limit=2)

    assert is_nudged(1, strict) and is_refused(1, OFF, strict)


# --- on the road ------------------------------------------------------------------------------


async def verified(road: Road, claim: Claim, text: str, *counted: Instructions) -> Job:
    """The verify job of a candidate, carried out."""
    report = CompileReport(ok=True, instructions=counted)
    road.referee.verdict = verification("w").model_copy(update={"compiled": report})
    job = road.hand_in(claim, 0.1, text)
    await road.pipeline.verify(job)
    return job


def row(road: Road, claim: Claim) -> list[bool | None]:
    found = benchmarked(road.database, claim).values()
    return [one.holds if one else None for one in found]


async def test_what_was_found_is_stored_with_the_verification(road: Road):
    claim = road.claim(strategy="memory.unit-stride")

    job = await verified(road, claim, "first", VECTORS)
    submission = views.submission(road.database, job.submission_id)

    assert submission is not None and submission.adherence is not None
    assert submission.adherence.holds is True


async def test_what_does_not_compile_is_not_judged(road: Road):
    claim = road.claim(strategy="memory.unit-stride")
    road.referee.verdict = verification("w").model_copy(
        update={"compiled": CompileReport(ok=False)}
    )
    job = road.hand_in(claim, 0.1)

    await road.pipeline.verify(job)

    submission = views.submission(road.database, job.submission_id)
    assert submission is not None and submission.adherence is None


async def test_each_submission_counts_once_from_when_its_benchmark_is_asked_for(road: Road):
    claim = road.claim(strategy="memory.unit-stride")
    first = await verified(road, claim, "first", SCALARS)
    second = await verified(road, claim, "second", VECTORS)
    assert row(road, claim) == []

    for _ in range(3):
        road.board.request_benchmark(first.submission_id, road.now_s)
    assert row(road, claim) == [False]
    asked = road.board.request_benchmark(second.submission_id, road.now_s)
    assert row(road, claim) == [False, True]
    road.board.cancel_job(asked.id, "not needed", road.now_s)
    assert row(road, claim) == [False]


async def test_taking_a_strategy_again_goes_on_counting_and_another_agent_begins(road: Road):
    claim = road.claim(strategy="memory.unit-stride")
    job = await verified(road, claim, "first", SCALARS)
    road.board.request_benchmark(job.submission_id, road.now_s)
    released(road, claim)

    again = road.claim(strategy="memory.unit-stride")
    assert (again.id != claim.id, row(road, again)) == (True, [False])
    released(road, again)
    assert row(road, road.claim("bob", strategy="memory.unit-stride")) == []
    assert row(road, road.claim(strategy="memory.vector-loads")) == []


def released(road: Road, claim: Claim) -> None:
    road.board.close_claim(claim.id, ClaimState.DONE, detail="", now_s=road.now_s)


async def test_the_count_is_the_same_for_a_server_that_was_killed(road: Road):
    claim = road.claim(strategy="memory.unit-stride")
    for text in ("first", "second"):
        job = await verified(road, claim, text, SCALARS)
        road.board.request_benchmark(job.submission_id, road.now_s)

    other = road.beside(FakeReferee())
    await other.benchmark(road.board.request_benchmark(job.submission_id, road.now_s))

    assert off_in_row(list(benchmarked(road.database, claim).values())) == 2
