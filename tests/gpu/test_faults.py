"""On a GPU: a candidate that dies or hangs on the device is named, and the device goes on."""

import time

import pytest

from guard import plugins
from guard.domain.decision import Policy
from guard.referee.canary import canary
from guard.referee.court import Court
from guard.referee.verification import verify
from tests.guard.trials import problem, solution

pytestmark = pytest.mark.gpu

HASTY = Policy(first_call_limit_s=6, call_limit_s=4)
NEXT_LIMIT_S = 2.0
ASSERTS = (
    "import torch\n\n\ndef run(x, y):\n"
    "    few = torch.zeros(4, device='cuda')\n"
    "    y.copy_(x + few[torch.full((1,), 9, device='cuda')])\n"
)
HANGS = "import torch\n\n\ndef run(x, y):\n    torch.cuda._sleep(2**62)\n"
ILLEGAL = """
import triton
import triton.language as tl


@triton.jit
def kernel(y, far):
    tl.store(y + far, 1.0)


def run(x, y):
    kernel[(1,)](y, 2**44)
"""
FAULTS = [
    # source, language, status, part of the log
    pytest.param(ASSERTS, "pytorch", "RUNTIME_ERROR", "assert", id="device assert"),
    pytest.param(ILLEGAL, "triton", "RUNTIME_ERROR", "illegal", id="illegal access"),
    pytest.param(HANGS, "pytorch", "TIMEOUT", "no answer", id="endless kernel"),
]


@pytest.fixture(scope="module")
def court():
    device = plugins.load("devices")["nvidia"]
    made = Court(device, device.found()[0], pin_cpu=-1)
    yield made
    made.close()


@pytest.fixture(scope="module")
def task():
    read = problem()
    return read.model_copy(update={"workloads": read.workloads[:1]})


@pytest.mark.parametrize(("source", "language", "status", "evidence"), FAULTS)
def test_a_fault_on_the_device_harms_nobody_else(court, task, source, language, status, evidence):
    assert verify(court, task, solution(), HASTY).passed
    faulty = solution(source, language=language)
    (judgement,) = verify(court, task, faulty, HASTY).judgements
    assert judgement.evaluation.status == status, judgement.evaluation.log
    assert evidence in judgement.evaluation.log
    began = time.monotonic()
    assert canary(court) == ""
    assert verify(court, task, solution(), HASTY).passed
    assert time.monotonic() - began < NEXT_LIMIT_S
