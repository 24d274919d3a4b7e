"""Folders that a server's settings open are found by compilers and imports; nothing beside is."""

import os

import pytest

from guard import plugins
from guard.asks import CompileAsk, Compiled
from guard.domain.decision import Policy
from guard.domain.solution import KernelLaunch, LaunchPlan, Solution, Source
from guard.domain.trace import CompileReport
from guard.referee.court import Court
from guard.referee.runners import RunnerFailed
from tests.guard.trials import POLICY

HEADER = "extra_factor.h"
PLAN = LaunchPlan(kernels=(KernelLaunch(kernel="k", grid=("1",), block=("1",), arguments=("y",)),))
SOURCES = {
    "cuda": ("k.cu", 'extern "C" __global__ void k(float* y) { *y = FACTOR; }', PLAN),
    "cpp": ("k.cpp", 'extern "C" void run(float* y) { *y = FACTOR; }', None),
    "cuda_cpp": (
        "k.cpp",
        "#include <torch/extension.h>\n"
        "void run(torch::Tensor y) { *y.data_ptr<float>() = FACTOR; }\n"
        'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }',
        None,
    ),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    base = tmp_path_factory.mktemp("extra")
    for name in ("listed", "packages", "unlisted"):
        (base / name).mkdir()
        (base / name / HEADER).write_text("#define FACTOR 7\n")
    (base / "packages" / "extra_package.py").write_text("FACTOR = 7\n")
    return base


@pytest.fixture(scope="module")
def court(folders):
    device = plugins.load("devices")["cpu"]
    patch = pytest.MonkeyPatch()
    patch.setenv("KERNELARC_INCLUDE", str(folders / "listed"))
    patch.setenv("KERNELARC_PYTHON", str(folders / "packages"))
    made = Court(device, device.found()[0], pin_cpu=-1)
    yield made
    made.close()
    patch.undo()


def compiled(court: Court, language: str, header: str) -> CompileReport:
    path, source, plan = SOURCES[language]
    solution = Solution(
        definition="d",
        language=language,
        sources=(Source(path=path, content=f"#include {header}\n{source}\n"),),
        launch_plan=plan,
    )
    with court.runner(Policy()) as builder:
        ask = CompileAsk(solution=solution, architecture="sm_90a")
        answer, _ = builder.ask(ask, 120, expect=Compiled)
    return CompileReport.model_validate(answer.report)


@pytest.mark.parametrize("language", SOURCES)
def test_a_header_in_a_listed_folder_is_found(court, language):
    report = compiled(court, language, f"<{HEADER}>")
    assert report.ok, report.messages


@pytest.mark.parametrize("language", SOURCES)
def test_a_folder_beside_it_stays_unreadable(court, folders, language):
    report = compiled(court, language, f'"{folders}/unlisted/{HEADER}"')
    assert not report.ok
    assert HEADER in report.messages
    assert "FACTOR 7" not in report.messages


def loading(body: str) -> Solution:
    source = Source(path="k.py", content=body + "\ndef run(): pass\n")
    return Solution(definition="d", language="pytorch", sources=(source,))


def test_a_package_in_a_listed_folder_is_imported(court):
    with court.runner(Policy()) as runner:
        imported = loading("import extra_package\nassert extra_package.FACTOR == 7")
        court.load(imported, POLICY, runner)


def test_a_listed_folder_cannot_be_written(court, folders):
    write = f"open({str(folders / 'packages' / 'x')!r}, 'w')"
    with court.runner(Policy()) as runner, pytest.raises(RunnerFailed, match="Permission denied"):
        court.load(loading(write), POLICY, runner)


def test_a_changed_header_is_compiled_anew(court, folders):
    path, source, _ = SOURCES["cpp"]
    content = f"#include <{HEADER}>\n{source}\n"
    solution = Solution(
        definition="d", language="cpp", sources=(Source(path=path, content=content),)
    )
    first = court.build(solution, POLICY)
    header = folders / "listed" / HEADER
    header.write_text("#define FACTOR 8\n")
    os.utime(header, ns=(1, 1))
    court.resume()
    assert court.build(solution, POLICY).files != first.files
    header.write_text("#define FACTOR 7\n")
