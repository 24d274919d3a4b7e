import pytest

from examples.team import conclude
from examples.team.plan import Candidate

CANDIDATE = Candidate(
    file="memory/streaming.cpp", note="Less traffic.", expect="correct", tags=("streaming-stores",)
)
PASSED = {"workload": "a", "status": "PASSED"}
WRONG = {"workload": "b", "status": "INCORRECT_NUMERICAL", "untrusted_log": "7 elements differ"}


@pytest.mark.parametrize(
    ("workloads", "expected"),
    [
        pytest.param([PASSED, PASSED], True, id="all passed"),
        pytest.param([PASSED, WRONG], False, id="one did not"),
        pytest.param([], False, id="nothing was judged"),
    ],
)
def test_only_a_full_pass_is_one(workloads: list[object], expected: bool) -> None:
    assert conclude.passed({"workloads": workloads}) is expected


@pytest.mark.parametrize(
    ("told", "figure"),
    [("1.23 (1.2 to 1.26)", 1.23), ("4.5e-05 (4e-05 to 5e-05)", 4.5e-5), ("not measured", None)],
)
def test_the_estimate_is_the_middle_figure(told: str, figure: float | None) -> None:
    assert conclude.estimate(told) == figure


@pytest.mark.parametrize(
    ("verified", "said"),
    [
        pytest.param(
            {"verdict": "failed on 1 of 2 workloads judged", "workloads": [PASSED, WRONG]},
            ("INCORRECT_NUMERICAL", "7 elements differ"),
            id="wrong",
        ),
        pytest.param(
            {
                "verdict": "does not compile",
                "workloads": [],
                "untrusted_compiler_messages": "x.h: No such file",
            },
            ("COMPILE_ERROR", "x.h: No such file"),
            id="does not compile",
        ),
    ],
)
def test_a_failed_verification_is_a_trap_that_names_the_first_tag(
    verified: dict[str, object], said: tuple[str, str]
) -> None:
    told = conclude.after_verification(CANDIDATE, verified)
    assert told is not None and told.kind == "trap"
    assert told.note.startswith("#streaming-stores: ")
    assert said[0] in told.note and said[1] in told.reflection


def test_what_could_not_be_judged_teaches_nothing() -> None:
    verified = {"verdict": "compiled, not verified", "workloads": []}
    assert conclude.after_verification(CANDIDATE, verified) is None


@pytest.mark.parametrize(
    ("decision", "over_champion", "kind"),
    [
        pytest.param("promoted", "1.2 (1.1 to 1.3)", "win", id="a new champion"),
        pytest.param("accepted", "0.85 (0.6 to 1.1)", None, id="inconclusive"),
        pytest.param("reverted", "0.95 (0.94 to 0.96)", None, id="only a variant"),
        pytest.param("reverted", "0.5 (0.4 to 0.6)", "trap", id="a clear loss"),
        pytest.param("suspect", "90 (80 to 99)", "trap", id="too good to be true"),
        pytest.param("rejected", "not measured", "trap", id="failed while being timed"),
    ],
)
def test_a_benchmark_teaches_by_its_decision(
    decision: str, over_champion: str, kind: str | None
) -> None:
    timed = {
        "decision": decision,
        "reason": "r",
        "speedup_over_champion": over_champion,
        "speedup_over_baseline": "1.5 (1.4 to 1.6)",
    }
    told = conclude.after_benchmark(CANDIDATE, timed)
    assert (told.kind if told else None) == kind


def test_a_plateau_names_all_variants_within_the_limits_of_a_conclusion() -> None:
    told = conclude.after_plateau("memory", [(CANDIDATE, "0.9 (0.8 to 1)")] * 40)
    assert "#streaming-stores" in told.note
    assert len(told.note) <= conclude.NOTE and len(told.reflection) <= conclude.REFLECTION
