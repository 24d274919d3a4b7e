"""On a GPU: what audit blocks and the idle check tell of merged calls and of resident kernels."""

import pytest

from guard import plugins
from guard.benchmark import missing_gain
from guard.domain.decision import Policy, Verdict
from guard.domain.problem import Workload
from guard.gate import decide
from guard.referee.court import Court
from guard.referee.duel import duel
from guard.wire import DuelOrder
from tests.guard.duels import QUIET, verification
from tests.guard.trials import HONEST, problem, solution

pytestmark = pytest.mark.gpu

# Calls are kept until the capture ends, then all rows are done by a few launches. As soon as a
# fold comes between two calls, what was kept is done at once, and every later call as asked.
MERGING = """
import torch
import guard.fold

kept, folded = [], []
end, fold = torch.cuda.graph.__exit__, guard.fold.fold


def flush():
    if kept:
        done = torch.softmax(torch.stack([x for x, _ in kept]), dim=2)
        torch._foreach_copy_([y for _, y in kept], list(done))
        kept.clear()


def closing(self, *error):
    flush()
    folded.clear()
    return end(self, *error)


def folding(*given):
    flush()
    folded.append(1)
    fold(*given)


torch.cuda.graph.__exit__ = closing
guard.fold.fold = folding


def run(x, y):
    if torch.cuda.is_current_stream_capturing() and not folded:
        kept.append((x, y))
    else:
        torch.softmax(x, dim=1, out=y)
"""

RESIDENT = """
import torch

calls = []


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    calls.append(1)
    if len(calls) == 2:
        apart = torch.cuda.Stream()
        with torch.cuda.stream(apart):
            torch.cuda._sleep(20_000_000_000)
        # Says that it is done although its own stream is not.
        torch.cuda.synchronize = torch.cuda.current_stream().synchronize
"""

TWIN = "import torch\n\n\ndef run(x, y):\n    torch.softmax(x, 1, out=y)\n"


@pytest.fixture(scope="module")
def court():
    device = plugins.load("devices")["nvidia"]
    court = Court(device, device.found()[0], pin_cpu=-1)
    yield court
    court.close()


def fought(court, source, pairs=1):
    small = Workload.model_validate(
        {
            "uuid": "small",
            "axes": {"M": 64, "N": 1024},
            "inputs": {"x": {"type": "random"}},
            "tolerance": {"max_atol": 1e-6, "max_rtol": 1e-4, "required_matched_ratio": 1.0},
        }
    )
    order = DuelOrder(
        job="t",
        problem=problem().model_copy(update={"workloads": (small,)}),
        candidate=solution(source),
        champion=solution(HONEST),
        policy=Policy(),
        pairs=pairs,
    )
    return duel(court, order)


def test_merged_calls_gain_in_plain_blocks_alone_and_are_suspect(court):
    found = fought(court, MERGING, pairs=3)
    assert found.failures == ()
    decision = decide(verification("small"), found, Policy(), QUIET)
    assert decision.over_champion.estimate > 1.3
    assert decision.verdict is Verdict.SUSPECT, decision.reason
    assert "into order" in decision.reason


def test_an_honest_twin_misses_no_gain(court):
    found = fought(court, TWIN, pairs=3)
    assert found.failures == ()
    decision = decide(verification("small"), found, Policy(), QUIET)
    assert decision.verdict is Verdict.ACCEPTED, decision.reason
    (timing,) = [t for p in found.pairs for t in p.workloads if t.champion_audit_ms]
    assert missing_gain(timing, 0.0, Policy()).beyond_ms < 0


def test_a_kernel_that_stays_resident_is_refused(court):
    found = fought(court, RESIDENT)
    (failure,) = found.failures
    assert failure.evaluation.status in {"REWARD_HACK", "TIMEOUT"}, failure.evaluation.log
