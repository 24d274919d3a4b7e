"""`guard.nvml`: what it reads, with a library that is scripted, since few hosts have a GPU."""

import sys
from types import SimpleNamespace

import pytest

from guard import nvml
from guard.domain.conditions import NOTHING_TOLD, Conditions


class Refused(Exception):
    pass


def refusing(*arguments):
    raise Refused


class Library(SimpleNamespace):
    """The functions that are read, as a driver of an H200 answers them."""

    NVMLError = Refused
    NVML_CLOCK_SM = 1
    NVML_TEMPERATURE_GPU = 0

    def __init__(self, **other):
        answers = {
            "nvmlInit": lambda: None,
            "nvmlDeviceGetHandleByUUID": lambda uuid: f"handle of {uuid}",
            "nvmlDeviceGetClockInfo": lambda handle, kind: 1980,
            "nvmlDeviceGetPowerUsage": lambda handle: 412_345,
            "nvmlDeviceGetTemperature": lambda handle, sensor: 47,
            "nvmlDeviceGetCurrentClocksThrottleReasons": lambda handle: 0x1 | 0x4 | 0x40,
            "nvmlDeviceGetComputeRunningProcesses": lambda handle: [
                SimpleNamespace(pid=pid, usedGpuMemory=None) for pid in (7, 8, 7)
            ],
        }
        super().__init__(**answers | other)


@pytest.fixture
def given(monkeypatch):
    """Make a library the one that is imported; nothing opened before or after is kept."""

    def give(**other):
        monkeypatch.setitem(sys.modules, "pynvml", Library(**other))
        nvml.gpu.cache_clear()

    yield give
    nvml.gpu.cache_clear()


def test_a_reading_has_units_and_named_reasons(given):
    given()
    assert nvml.conditions("GPU-1") == Conditions(
        sm_clock_mhz=1980,
        power_w=412.345,
        temperature_c=47,
        throttle_reasons=("power cap", "hardware thermal slowdown"),
    )


@pytest.mark.parametrize(
    ("function", "field"),
    [
        ("nvmlDeviceGetClockInfo", "sm_clock_mhz"),
        ("nvmlDeviceGetPowerUsage", "power_w"),
        ("nvmlDeviceGetTemperature", "temperature_c"),
    ],
)
def test_a_figure_that_a_driver_cannot_tell_is_none_and_the_others_stay(given, function, field):
    given(**{function: refusing})
    found = nvml.conditions("GPU-1")
    assert getattr(found, field) is None
    assert found.model_dump().keys() - {field} == found.model_dump(exclude_none=True).keys()


def test_reasons_that_cannot_be_told_are_none(given):
    given(nvmlDeviceGetCurrentClocksThrottleReasons=refusing)
    assert nvml.conditions("GPU-1").throttle_reasons == ()


@pytest.mark.parametrize("function", ["nvmlInit", "nvmlDeviceGetHandleByUUID"])
def test_without_a_driver_or_the_gpu_nothing_is_told(given, function):
    given(**{function: refusing})
    assert nvml.conditions("GPU-1") == NOTHING_TOLD


def test_a_gpu_is_opened_once(given):
    opened = []
    given(nvmlDeviceGetHandleByUUID=opened.append)
    for _ in range(3):
        nvml.conditions("GPU-1")
    nvml.conditions("GPU-2")
    assert opened == ["GPU-1", "GPU-2"]


def test_a_reason_of_a_later_driver_is_named_by_its_number():
    assert nvml.names(0x2 | 0x20 | 0x1000) == ("thermal slowdown", "reason 0x1000")


def test_who_uses_a_gpu_is_told_by_process(given):
    given()
    assert nvml.compute_pids("GPU-1") == {7, 8}


@pytest.mark.parametrize(
    "function", ["nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetHandleByUUID"]
)
def test_who_uses_a_gpu_that_tells_nothing_is_nobody_known(given, function):
    given(**{function: refusing})
    assert nvml.compute_pids("GPU-1") == frozenset()
