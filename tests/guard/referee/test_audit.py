"""`guard.referee.audit`: calls forced into order, with real candidates."""

import pytest

from guard.domain.problem import TensorSpec
from guard.referee import audit
from guard.referee.audit import HALF_TURNS, Chain
from guard.referee.duel import duel, sides
from guard.referee.reference import Reference
from guard.referee.sides import SideFailed
from guard.referee.slots import Layout
from guard.referee.timing import time_workload
from tests.guard.trials import HONEST, POLICY, RETURNING, duel_order, problem, solution

CANDIDATES = [
    pytest.param(solution(), id="destination passing"),
    pytest.param(solution(RETURNING, returns=True), id="return style"),
]


def audited(court, candidate):
    task = problem()
    reference, (given,) = Reference(task.definition), task.cpu_workloads
    with sides(court, (solution(), candidate), task, POLICY) as both:
        try:
            return time_workload(court, both, task, given, reference, POLICY, audited=True)
        except SideFailed as failed:
            assert failed.side is both[1]
            raise


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_an_honest_candidate_passes_and_both_sides_have_figures(court, candidate):
    times = audited(court, candidate)
    assert [len(blocks) for blocks in times.audits] == [HALF_TURNS] * 2
    assert all(b.long_ms > 0 for blocks in times.audits for b in blocks)


HOSTILE = [
    pytest.param(
        "import guard.fold\nguard.fold.fold = lambda *_: None\n",
        "other than by its folds",
        id="leaves the folds out",
    ),
    pytest.param(
        "import guard.fold\n_fold = guard.fold.fold\n"
        "def _twice(output, into, place):\n    _fold(output, into, place)\n    into[0, 0] += 1\n"
        "guard.fold.fold = _twice\n",
        "other than by its folds",
        id="changes more than the folds do",
    ),
    pytest.param(
        # The right answers to the inputs as they were before the folds.
        "from guard.runner.capture import Bench\n_chained = Bench._chained\n"
        "def _early(self, slots, ask, folds):\n"
        "    calls = _chained(self, slots, ask, folds)\n"
        "    def first():\n"
        "        for slot in slots:\n            self._calls[slot]()\n"
        "    def only_fold(call, slot):\n"
        "        def run():\n"
        "            y = self._slots[slot].outputs[0]\n            kept = y.clone()\n"
        "            call()\n            y.copy_(kept)\n"
        "        return run\n"
        "    rest = [only_fold(c, s) for c, s in zip(calls, slots)]\n"
        "    def head():\n        first()\n        rest[0]()\n"
        "    return [head, *rest[1:]]\n"
        "Bench._chained = _early\n",
        "further off",
        id="answers before the folds",
    ),
]


@pytest.mark.parametrize(("trick", "message"), HOSTILE)
def test_what_does_not_follow_the_order_is_refused(court, trick, message):
    with pytest.raises(SideFailed, match=message):
        audited(court, solution(trick + HONEST))


def test_a_duel_audits_every_workload_once_in_the_fewest_pairs(court):
    found = duel(court, duel_order(solution(HONEST + "\n# twin\n"), pairs=POLICY.min_pairs))
    assert found.failures == ()
    counts = [len(t.champion_audit_ms) for pair in found.pairs for t in pair.workloads]
    assert sorted(counts) == [0] * (POLICY.min_pairs - 1) + [HALF_TURNS]
    timings = [t for pair in found.pairs for t in pair.workloads]
    assert all(len(t.champion_audit_ms) == len(t.candidate_audit_ms) for t in timings)


def layout(**specs: TensorSpec) -> Layout:
    task = problem()
    (given,) = task.cpu_workloads
    definition = task.definition.model_copy(update={"inputs": specs})
    return Layout.of(definition, given)


def test_the_largest_floating_input_carries_the_order():
    big = TensorSpec(shape=("M", "N"), dtype="int32")
    small, scalar = TensorSpec(shape=("M",), dtype="float32"), TensorSpec(shape=None, dtype="int32")
    found = Chain.of(layout(n=scalar, indices=big, x=small))
    assert found == Chain(output=0, read=16 * 64, into=1, changed=16)


def test_without_a_tensor_input_there_is_no_order_to_force():
    assert Chain.of(layout(n=TensorSpec(shape=None, dtype="int32"))) is None


def test_targets_of_a_fold_are_distinct_and_within_the_input():
    import torch

    for changed in (1, 5, 256, 257, 4096):
        chain = Chain(output=0, read=7, into=0, changed=changed)
        drawn = audit._draw(50, chain, torch.device("cpu"))
        count = min(audit.SAMPLES, changed)
        targets = drawn[:, audit.SAMPLES : audit.SAMPLES + count]
        assert int(targets.max()) < changed
        assert all(len(set(row.tolist())) == count for row in targets)
        assert int(drawn[:, : audit.SAMPLES].max()) < 7
