"""Static rules come first: a refusal ends the road, a hint stays in the record."""

import pytest

from guard.domain.decision import Verdict
from guard.domain.trace import Duel
from guard.gate import decide
from guard.referee.clerks import Clerk
from guard.referee.screening import judge, screen
from tests.guard.duels import QUIET
from tests.guard.trials import POLICY, problem, solution, workload

PATCHED = "import time\n\ntime.perf_counter = lambda: 0.0\n\n\ndef run(x, y):\n    y.copy_(x)\n"
# The unclosed mark of each raw string is looked for until the end of the file.
SLOW = 'R"(' * 80_000


def screened(court, task, candidate):
    """Both steps at once."""
    return judge(court, task, candidate, POLICY, screen(court, task, candidate, POLICY))


@pytest.fixture
def clerk():
    made = Clerk()
    yield made
    made.close()


def test_a_refusal_is_one_sentence_on_every_workload_and_nothing_is_compiled(court):
    task = problem(workload("a"), workload("b"))
    found = screened(court, task, solution(PATCHED))
    assert [(j.workload, j.evaluation.status) for j in found.judgements] == [
        ("a", "REWARD_HACK"),
        ("b", "REWARD_HACK"),
    ]
    expected = "refused: patches-modules, replaces time.perf_counter (candidate.py:3)"
    assert {j.evaluation.log for j in found.judgements} == {expected}
    assert found.refused and not found.passed
    assert found.compiled.messages == "" and found.compiled.duration_s == 0


def test_a_refused_candidate_is_rejected(court):
    candidate = solution(PATCHED)
    found = screened(court, problem(), candidate)
    fought = Duel(champion="c", candidate=candidate.digest, pairs=())
    assert decide(found, fought, POLICY, QUIET).verdict is Verdict.REJECTED


def test_a_hint_refuses_nothing(court):
    found = screened(court, problem(), solution())
    assert found.passed and not found.refused
    (hint,) = found.compiled.hints
    assert str(hint) == "library-alone, torch.softmax does the whole work (candidate.py:5)"


def test_what_does_not_compile_is_not_called_refused(court):
    found = screened(court, problem(), solution("def ("))
    assert not found.refused
    assert found.judgements[0].evaluation.status == "COMPILE_ERROR"


def test_a_source_that_keeps_the_clerk_busy_is_no_matter(clerk, monkeypatch):
    monkeypatch.setattr("guard.referee.clerks.LIMIT_S", 0.5)
    (hint,) = clerk.notice(solution(SLOW, language="cpp")).hints
    assert (hint.rule, hint.path) == ("unread", "candidate.cpp")
    monkeypatch.undo()
    (refusal,) = clerk.notice(solution(PATCHED)).refusals
    assert refusal.line == 3


def test_a_clerk_that_was_lost_is_replaced(clerk):
    assert clerk.notice(solution()).refusals == ()
    clerk._process.kill()
    clerk._process.wait()
    assert clerk.notice(solution()).hints[0].rule == "unread"
    assert clerk.notice(solution(PATCHED)).refusals


COPY = """
#include <cstdint>
extern "C" void run(const float* x, float* y, int64_t N) {
  for (int64_t i = 0; i < N; ++i) y[i] = x[i];
}
"""


def test_known_machine_code_ends_the_road_before_the_device(court):
    task, first = problem(), solution(COPY, language="cpp")
    report = court.build(first, POLICY).report
    renamed = solution("// Other words.\n" + COPY, language="cpp")

    found = screen(court, task, renamed, POLICY, {report.code_digest}).ended

    assert len(report.code_digest) == 64
    assert found is not None and not found.passed
    assert (found.judgements, found.compiled.code_digest) == ((), report.code_digest)
    assert screen(court, task, renamed, POLICY, {"0" * 64, ""}).ended is None
    assert screen(court, task, solution(), POLICY, {"0" * 64, ""}).ended is None
