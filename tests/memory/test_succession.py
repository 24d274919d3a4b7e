"""`memory.succession`: the first place, from nothing but what was recorded."""

import pytest

from guard.domain.decision import Decision, Interval, Policy, Verdict
from memory.records import Submission
from memory.succession import BASELINE, Standing, holder, may_succeed, untainted
from tests.guard.duels import passed, verification
from tests.memory.builders import NOW, solution


def standing(seq, verdict, speedup, *, eligible=True, digest=""):
    return Standing(
        seq=seq, submission_id=seq, digest=digest or f"d{seq}", promoted=verdict == "promoted",
        speedup=speedup, eligible=eligible,
    )  # fmt: skip


A = standing(1, "promoted", 1.5)
B = standing(2, "promoted", 9.0)
BACKUP = standing(3, "accepted", 2.0)
UNFIT = standing(3, "accepted", 8.0, eligible=False)
PLACES = [
    # what stood, what was revoked and when, who holds the first place
    pytest.param([], {}, BASELINE, id="nothing yet"),
    pytest.param([BACKUP], {}, BASELINE, id="a backup alone is no champion"),
    pytest.param([A, B], {}, 2, id="the last one promoted"),
    pytest.param([A, B], {"d2": 9}, 1, id="the one promoted before"),
    pytest.param([A, B, BACKUP], {"d2": 9}, 3, id="a faster backup"),
    pytest.param([A, B, UNFIT], {"d2": 9}, 1, id="a backup that may not"),
    pytest.param([B], {"d2": 9}, BASELINE, id="nobody left"),
    pytest.param([A, B], {"d1": 9}, 2, id="one that had lost the place already"),
    pytest.param([A, B, BACKUP], {"d2": 9, "d3": 10}, 1, id="the successor as well"),
    pytest.param([A, B, BACKUP], {"d3": 8, "d2": 9}, 1, id="the backup before"),
    pytest.param([A, B, BACKUP.model_copy(update={"seq": 11})], {"d2": 9}, 1, id="accepted later"),
    pytest.param([A, B, standing(11, "promoted", 1.6)], {"d2": 9}, 11, id="promoted later"),
    pytest.param([A, B, standing(3, "accepted", 9.0, digest="d2")], {"d2": 9}, 1, id="its twin"),
    pytest.param(
        [standing(1, "promoted", 2.0), B, BACKUP], {"d2": 9}, 1, id="of two as fast the earlier"
    ),
]


@pytest.mark.parametrize(("standings", "revoked", "expected"), PLACES)
def test_the_place_goes_to_the_best_that_is_left(standings, revoked, expected):
    assert holder(standings, revoked) == expected
    assert holder(standings[::-1], revoked) == expected


def submission(number, verdict=Verdict.ACCEPTED, *, low=1.1, grade=2, builds_on=(), revoked=""):
    return Submission(
        id=number, campaign_id=1, claim_id="c", agent="ada", strategy="s", lane="l",
        solution=solution(str(number)), builds_on=builds_on, submitted_s=NOW,
        verification=verification(w=passed(grade=grade)),
        decision=Decision(verdict=verdict, reason=""),
        speedup=Interval(estimate=low + 0.1, low=low, high=low + 0.2), revoked=revoked,
    )  # fmt: skip


FITNESS = [
    pytest.param(submission(1), True, True, id="accepted"),
    pytest.param(submission(1, low=0.99), True, False, id="not surely faster than the baseline"),
    pytest.param(submission(1, grade=1), True, False, id="verified behind fewer walls"),
    pytest.param(submission(1), False, False, id="on a problem that is not admitted"),
    pytest.param(submission(1, Verdict.PROMOTED, low=0.99), True, True, id="was promoted"),
    pytest.param(submission(1).model_copy(update={"speedup": None}), True, False, id="not timed"),
]


@pytest.mark.parametrize(("candidate", "admitted", "expected"), FITNESS)
def test_what_could_not_have_been_promoted_does_not_succeed(candidate, admitted, expected):
    assert may_succeed(candidate, Policy(), admitted=admitted) is expected


def test_what_builds_on_a_revoked_one_is_tainted_however_far():
    line = [
        submission(1), submission(2, revoked="a cheat"), submission(3, builds_on=(1,)),
        submission(4, builds_on=(1, 2)), submission(5, builds_on=(4,)),
    ]  # fmt: skip
    assert untainted(line[::-1]) == {1, 3}
