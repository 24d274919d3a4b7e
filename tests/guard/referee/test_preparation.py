"""`guard.referee.preparation`: a candidate's `prepare` sees constants alone, and is checked."""

import re

import pytest

from guard.referee.duel import duel
from guard.referee.preparation import Preparation
from guard.referee.verification import verify
from guard.wire import DuelOrder
from tests.guard.trials import POLICY, linear, solution

PLAIN = """
import torch
def run(x, weight, bias, y):
    total = torch.addmm(bias.float(), x.float(), weight.float().t())
    y.copy_(torch.nn.functional.silu(total))
"""
PREPARED = """
import torch
def prepare(weight, bias):
    return weight.float().t().contiguous(), bias.float()
def run(x, weight, bias, y):
    y.copy_(torch.nn.functional.silu(torch.addmm(bias, x.float(), weight)))
"""
ONE = """
import torch
def prepare(weight, bias):
    return torch.cat([weight.float(), bias.float()[:, None]], dim=1)
def run(x, joined):
    total = torch.addmm(joined[:, -1], x.float(), joined[:, :-1].t())
    return torch.nn.functional.silu(total).bfloat16()
"""


def order(candidate, champion, pairs=1, **policy):
    return DuelOrder(
        job="duel",
        problem=linear(),
        candidate=candidate,
        champion=champion,
        policy=POLICY.model_copy(update=policy),
        pairs=pairs,
    )


HONEST = [
    pytest.param(solution(PLAIN), id="constants as plain inputs"),
    pytest.param(solution(PREPARED), id="a tuple of tensors"),
    pytest.param(solution(ONE, returns=True), id="one tensor, return style"),
]


@pytest.mark.parametrize("candidate", HONEST)
def test_an_honest_candidate_is_right_on_listed_and_hidden_shapes(court, candidate):
    found = verify(court, linear(hidden=True), candidate, POLICY)
    assert found.passed, found.judgements
    assert len(found.judgements) > 1


PAIRS = [
    pytest.param(solution(PLAIN), solution(PREPARED), id="the candidate prepares"),
    pytest.param(solution(PREPARED), solution(PLAIN), id="the champion prepares"),
    pytest.param(solution(PREPARED), solution(ONE, returns=True), id="both do"),
]


@pytest.mark.parametrize(("champion", "candidate"), PAIRS)
def test_who_prepares_and_who_does_not_are_timed_in_turn(court, champion, candidate):
    found = duel(court, order(candidate, champion))
    assert found.failures == ()
    (timing,) = found.pairs[0].workloads
    assert timing.candidate_audit_ms
    assert (timing.candidate_prepare_ms is None) is ("prepare" not in candidate.source)


STALE = """
import torch
kept = {{}}
def prepare(weight, bias):
    made = weight.float().t().contiguous(), bias.float()
    {keep}
def run(x, weight, bias, y):
    y.copy_(torch.nn.functional.silu(torch.addmm(bias, x.float(), weight)))
"""
REFUSED = [
    # what prepare does, status, what the log says
    pytest.param(
        STALE.format(keep="return kept.setdefault(0, made)"),
        "INCORRECT_NUMERICAL", "further off|within tolerance", id="keeps the first set",
    ),
    pytest.param(
        STALE.format(keep="return kept.setdefault(weight.data_ptr(), made)"),
        "INCORRECT_NUMERICAL", "further off|within tolerance", id="keeps sets by their place",
    ),
    pytest.param(
        STALE.format(keep="weight.zero_(); return made"),
        "REWARD_HACK", "a constant input was changed", id="changes a constant",
    ),
    pytest.param(
        STALE.format(keep="raise ValueError('too wide')"),
        "RUNTIME_ERROR", "too wide", id="raises",
    ),
    pytest.param(
        STALE.format(keep="return None"),
        "RUNTIME_ERROR", "a tensor or a tuple of tensors, not a NoneType", id="returns nothing",
    ),
    pytest.param(
        STALE.format(keep="return torch.empty(2**40)"),
        "RUNTIME_ERROR", "memory", id="allocates without bound",
    ),
    pytest.param(
        PLAIN + "    weight[0, 0] = 0\n",
        "REWARD_HACK", "a constant input was changed", id="a call changes a constant",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("source", "status", "evidence"), REFUSED)
def test_a_preparation_is_verified_like_everything_else(court, source, status, evidence):
    (judgement,) = verify(court, linear(), solution(source), POLICY).judgements
    assert judgement.evaluation.status == status, judgement.evaluation.log
    assert re.search(evidence, judgement.evaluation.log)


def test_no_input_of_a_call_is_there_while_it_prepares(court, monkeypatch):
    seen = []
    take_in = Preparation._take_in

    def looked(self, number, limit_s):
        seen.append(bool(self._slots.inputs(0)[0].any()))
        return take_in(self, number, limit_s)

    monkeypatch.setattr("guard.referee.verification.SLOTS", 1)
    monkeypatch.setattr(Preparation, "_take_in", looked)
    assert verify(court, linear(), solution(PREPARED), POLICY).passed
    assert seen
    assert not any(seen)


def test_a_timed_call_that_changes_a_constant_is_its_own_sides_fault(court):
    sly = (
        PREPARED.replace(
            "def prepare(weight, bias):",
            "kept = []\ndef prepare(weight, bias):\n    kept.append(bias)",
        )
        + "    kept.append(0)\n    if len(kept) > 90:\n        kept[0][0] += 1\n"
    )
    found = duel(court, order(solution(sly), solution(PLAIN), turns=8))
    (failure,) = found.failures
    assert failure.evaluation.status == "REWARD_HACK"
    assert "a constant input was changed" in failure.evaluation.log
