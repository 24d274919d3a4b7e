"""On a GPU: what NVML tells between blocks, and what becomes of it in a duel."""

import os
import subprocess
import sys
import time
from statistics import median

import pytest
import torch

from guard import plugins
from guard.domain.decision import Policy
from guard.domain.problem import Workload
from guard.domain.trace import Duel
from guard.processes import family
from guard.referee.court import Court
from guard.referee.duel import duel
from guard.steadiness import steady
from guard.wire import DuelOrder
from tests.guard.trials import HONEST, problem, solution

pytestmark = pytest.mark.gpu

MOST_READ_MS = 5.0
"""Far above a reading's usual time, far below what would lengthen a duel."""


@pytest.fixture(scope="module")
def court():
    device = plugins.load("devices")["nvidia"]
    court = Court(device, device.found()[0], pin_cpu=-1)
    yield court
    court.close()


@pytest.fixture(scope="module")
def fought(court) -> Duel:
    small = Workload.model_validate(
        {
            "uuid": "small",
            "axes": {"M": 256, "N": 4096},
            "inputs": {"x": {"type": "random"}},
            "tolerance": {"max_atol": 1e-6, "max_rtol": 1e-4, "required_matched_ratio": 1.0},
        }
    )
    order = DuelOrder(
        job="t",
        problem=problem().model_copy(update={"workloads": (small,)}),
        candidate=solution(HONEST),
        champion=solution(HONEST),
        policy=Policy(),
        pairs=2,
        warms=True,
    )
    return duel(court, order)


def test_a_gpu_under_load_tells_its_clock_power_and_temperature(court):
    a = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
    for _ in range(50):
        a @ a
    seen = court.device.conditions(court.identity)
    torch.cuda.synchronize()
    assert seen.sm_clock_mhz > 300
    assert seen.power_w > 30
    assert 10 < seen.temperature_c < 110


def test_a_reading_is_short_beside_a_block(court):
    court.device.conditions(court.identity)
    took_ms = []
    for _ in range(20):
        start_ns = time.perf_counter_ns()
        court.device.conditions(court.identity)
        took_ms.append((time.perf_counter_ns() - start_ns) / 1e6)
    print(f"a reading takes {median(took_ms):.3f} ms, at most {max(took_ms):.3f} ms")
    assert median(took_ms) < MOST_READ_MS


def test_every_turn_of_a_duel_holds_what_the_device_said_of_itself(fought):
    assert fought.failures == ()
    for timing in (timing for pair in fought.pairs for timing in pair.workloads):
        for seen in (timing.champion_conditions, timing.candidate_conditions):
            assert len(seen) == len(timing.champion_ms)
            assert all(one.sm_clock_mhz and one.power_w for one in seen)
        print([(c.sm_clock_mhz, c.throttle_reasons) for c in timing.champion_conditions])


def test_a_kernel_against_itself_keeps_most_of_its_turns(fought):
    for pair in steady(fought, Policy()).pairs:
        for timing in pair.workloads:
            assert len(timing.champion_ms) >= Policy().turns


def test_our_own_processes_are_no_strangers(court, fought):
    assert [pair.strangers for pair in fought.pairs] in ([0, 0], [None, None])


STRANGER = "import torch; torch.zeros(1, device='cuda'); print('here', flush=True); input()"


def test_another_process_is_seen_or_it_is_said_that_none_can_be(court):
    device, own = court.device, family(os.getpid())
    before = device.strangers(court.identity, own)
    with subprocess.Popen(
        [sys.executable, "-c", STRANGER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "here\n"
        # A child of ours, which only its number tells from a stranger.
        during = device.strangers(court.identity, own)
        assert device.strangers(court.identity, family(os.getpid())) == before
        other.communicate("\n", timeout=60)
    print(f"strangers before {before}, with one {during}")
    assert (before, during) in ((None, None), (0, 1))


def test_calls_with_their_data_in_cache_are_no_slower(fought):
    for timing in fought.pairs[0].workloads:
        cold_ms = median(timing.candidate_ms)
        print(f"{cold_ms * 1e3:.2f} us a call, {timing.candidate_warm_ms * 1e3:.2f} us warm")
        assert 0 < timing.candidate_warm_ms < 1.2 * cold_ms
