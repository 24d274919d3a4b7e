"""Which conclusions the record bears out."""

import pytest

from guard.domain.decision import Decision, Interval, Verdict
from guard.domain.errors import UnfoundedConclusion
from guard.domain.solution import Solution, Source
from memory.records import Claim, ClaimState, Submission
from server.conclusions import best, founded
from tests.guard.duels import verification, wrong

CLAIM = Claim(
    id="c_1", campaign_id=1, strategy="memory.x", lane="memory", token="local", agent="ada",
    generation=1, state=ClaimState.LIVE, reason="", claimed_s=0, expires_s=9,
)  # fmt: skip
FASTER, SLOWER, NEAR = (1.3, 1.2, 1.4), (0.8, 0.7, 0.9), (1.02, 0.99, 1.05)
PROMOTED, ACCEPTED, REVERTED = Verdict.PROMOTED, Verdict.ACCEPTED, Verdict.REVERTED
SUSPECT = Verdict.SUSPECT


def submission(
    verdict: Verdict | None = None,
    figures: tuple[float, float, float] | None = None,
    *,
    correct: bool = True,
    judged: bool = True,
    claim_id: str = "c_1",
    same_as: int = 0,
) -> Submission:
    source = Source(path="main.cpp", content="x")
    speedup = Interval(estimate=figures[0], low=figures[1], high=figures[2]) if figures else None
    found = verification("w") if correct else verification(w=wrong())
    return Submission(
        id=1, campaign_id=1, claim_id=claim_id, agent="ada", strategy="memory.x", lane="memory",
        solution=Solution(definition="d", language="cpp", sources=(source,)), builds_on=(),
        submitted_s=0, verification=found if judged else None, speedup=speedup,
        decision=Decision(verdict=verdict, reason="") if verdict else None, same_as=same_as,
    )  # fmt: skip


FOUNDED = [
    # kind, cited, speedup told
    pytest.param("win", [submission(PROMOTED, FASTER)], 1.3, id="a win that was promoted"),
    pytest.param("win", [submission(REVERTED, FASTER)], 1.3, id="faster, though not the champion"),
    pytest.param(
        "win", [submission(correct=False), submission(PROMOTED, FASTER)], 1.3, id="win, and why"
    ),
    pytest.param("trap", [submission(REVERTED, SLOWER)], 0.8, id="a trap that was slower"),
    pytest.param("trap", [submission(correct=False)], None, id="a trap that was wrong"),
    pytest.param("trap", [submission(SUSPECT, FASTER)], None, id="a trap that was not believed"),
]
UNFOUNDED = [
    # kind, cited, part of the reason
    pytest.param("win", [], "cites no", id="nothing is cited"),
    pytest.param("win", [submission(claim_id="c_2")], "not made under", id="another's work"),
    pytest.param("win", [submission(judged=False)], "not been judged", id="not judged yet"),
    pytest.param("win", [submission()], "faster", id="a win that was never timed"),
    pytest.param(
        "trap", [submission(correct=False, same_as=7)], "same as 7", id="another one's record"
    ),
    pytest.param(
        "win", [submission(ACCEPTED, NEAR)], "faster", id="interval includes the baseline"
    ),
    pytest.param("win", [submission(SUSPECT, FASTER)], "faster", id="figures not believed"),
    pytest.param(
        "win",
        [submission(REVERTED, SLOWER)],
        r"1: reverted, 0.8 \(0.7 to 0.9\) over the baseline",
        id="the record is told",
    ),
    pytest.param("trap", [submission(PROMOTED, FASTER)], "1: promoted, 1.3", id="a trap that won"),
    pytest.param("trap", [submission()], "never benchmarked", id="a trap that nobody timed"),
]


@pytest.mark.parametrize(("kind", "cited", "speedup"), FOUNDED)
def test_a_founded_conclusion_tells_the_best_believed_speedup(kind, cited, speedup):
    assert founded(kind, cited, CLAIM) == speedup


@pytest.mark.parametrize(("kind", "cited", "reason"), UNFOUNDED)
def test_an_unfounded_conclusion_is_refused_with_the_reason(kind, cited, reason):
    with pytest.raises(UnfoundedConclusion, match=reason):
        founded(kind, cited, CLAIM)


BEST = [
    # cited, number of the one whose figures are told
    pytest.param([(None, None), (REVERTED, SLOWER), (PROMOTED, FASTER)], 3, id="the fastest"),
    pytest.param([(REVERTED, SLOWER), (SUSPECT, FASTER)], 1, id="of those believed"),
    pytest.param([(None, None), (SUSPECT, FASTER)], 1, id="or the first"),
]


@pytest.mark.parametrize(("cited", "expected"), BEST)
def test_the_figures_are_those_of_the_best_cited_submission(cited, expected):
    handed_in = [
        submission(*each).model_copy(update={"id": number}) for number, each in enumerate(cited, 1)
    ]

    assert best(handed_in).id == expected
