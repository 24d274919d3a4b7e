"""`guard.referee.ceilings`: what is measured on a CPU, and that it is measured once."""

from dataclasses import replace

import pytest

from guard import plugins
from guard.referee import ceilings_cpu
from guard.referee.ceilings import ceilings, workload_bounds
from tests.guard.trials import problem

DEVICE = plugins.load("devices")["cpu"]
(IDENTITY,) = DEVICE.found()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache") / "below"


@pytest.fixture(scope="module")
def measured(folder):
    return ceilings(DEVICE, IDENTITY, folder)


def test_a_cpu_has_every_ceiling_but_those_of_graphs(measured):
    assert set(measured.bytes_per_s) == {"read", "write", "copy", "cached copy"}
    assert {"float32", "bfloat16", "float64"} == set(measured.matrix_flops_per_s)
    assert measured.simple_ops_per_s
    assert measured.special_ops_per_s
    assert (measured.launch_ms, measured.node_ms, measured.cold) == (None, None, False)
    assert measured.identity["hardware"] == IDENTITY.hardware


def test_what_was_measured_is_kept(measured, folder):
    [path] = folder.iterdir()
    marked = measured.model_copy(update={"special_ops_per_s": 1.0})
    path.write_text(marked.model_dump_json())
    assert ceilings(DEVICE, IDENTITY, folder) == marked


SPOILT = [
    pytest.param("", id="cut short"),
    pytest.param('{"identity": {}, "bytes_per_s": {"read": 1.0}}', id="of another device"),
    pytest.param('{"identity": {}, "bytes_per_s": {"read": -1.0}}', id="no rate"),
]


@pytest.mark.parametrize("text", SPOILT)
def test_a_spoilt_file_is_measured_anew(measured, folder, text):
    [path] = folder.iterdir()
    path.write_text(text)
    assert set(ceilings(DEVICE, IDENTITY, folder).bytes_per_s) == set(measured.bytes_per_s)
    assert path.read_text() != text


def test_another_device_has_a_file_of_its_own(measured, folder):
    other = replace(IDENTITY, hardware="another")
    assert ceilings(DEVICE, other, folder).identity["hardware"] == "another"
    assert len(list(folder.iterdir())) == 2


def test_a_folder_that_cannot_be_written_only_costs_time(measured, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert ceilings(DEVICE, IDENTITY, blocked / "below").identity == measured.identity


def test_bounds_are_told_by_workload_and_decide_nothing_on_a_cpu(measured):
    found = workload_bounds(problem(), "cpu", measured)
    assert list(found) == ["small"]
    assert found["small"].bound_ms > 0
    assert found["small"].limit_ms == 0


CACHES = [
    pytest.param({"index0": "32K", "index3": "32768K"}, 32 * 2**20, id="the largest one"),
    pytest.param({"index0": "2M"}, 2 * 2**20, id="in mebibytes"),
    pytest.param({}, 0, id="nothing is told"),
    pytest.param({"index0": "unknown"}, 0, id="no number"),
]


@pytest.mark.parametrize(("sizes", "expected"), CACHES)
def test_the_last_cache_is_read_from_the_kernel(tmp_path, sizes, expected):
    for name, size in sizes.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "size").write_text(f"{size}\n")
    assert ceilings_cpu.last_cache_bytes(tmp_path) == expected
