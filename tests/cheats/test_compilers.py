"""Compilers work for the candidate: neither they nor what they make touch anything of the house."""

import ctypes
import os
import socket

import pytest

from guard import plugins
from guard.domain.errors import MalformedSolution
from guard.domain.solution import LaunchPlan, Source
from guard.referee.verification import verify
from tests.cheats.among_others import canary, source_of
from tests.guard.trials import POLICY, problem, solution

RUN = 'extern "C" void run(const float* x, float* y, long M, long N) {}\n'
KERNEL = 'extern "C" __global__ void run(const float* x, float* y) {}\n'
READING = [
    # language, a line of source that has the compiler read {path}
    pytest.param("cpp", '#include "{path}"\n', id="include"),
    pytest.param("cpp", "#include <{path}>\n", id="system include"),
    pytest.param("cpp", "#include {path}\n", id="include without quotes"),
    pytest.param("cpp", '#include "../../../../../../../../{path}"\n', id="climbing include"),
    pytest.param("cpp", '#include "/proc/self/root{path}"\n', id="include through proc"),
    pytest.param("cpp", '#pragma GCC dependency "{path}"\n', id="dependency"),
    pytest.param("cpp", 'asm(".incbin \\"{path}\\"");\n', id="incbin"),
    pytest.param("cpp", 'asm(".include \\"{path}\\"");\n', id="assembler include"),
    pytest.param("cuda", '#include "{path}"\n', id="cuda include"),
    pytest.param("cuda", "#include <{path}>\n", id="cuda system include"),
]


def house_file(tmp_path, mode):
    """A file of the house's own, made as a host makes it whose umask is lax."""
    secret = tmp_path / "database"
    secret.write_text(f"const char* secret = {canary()};\n")
    secret.chmod(mode)
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    return secret


@pytest.mark.parametrize("mode", [0o600, 0o644], ids=["closed", "readable to all"])
@pytest.mark.parametrize(("language", "line"), READING)
def test_no_compiler_reads_a_file_of_the_house(court, tmp_path, language, line, mode):
    secret = house_file(tmp_path, mode)
    source = line.replace("{path}", str(secret)) + (KERNEL if language == "cuda" else RUN)
    artifact = court.build(solution(source, language=language), POLICY)
    assert "kernelarc-canary" not in artifact.report.messages
    assert not any(b"kernelarc-canary" in data for data in artifact.files.values())
    with court.runner(POLICY) as runner:
        walled = "landlock" in runner.held
    if walled:
        assert not artifact.report.ok


@pytest.mark.parametrize("line", ['#include "told.h"', 'asm(".incbin \\"told.h\\"");'])
def test_the_same_ways_read_what_the_candidate_brought(court, line):
    told = Source(path="told.h", content=f"// {canary()}\n")
    plain = solution(f"{line}\n{RUN}", language="cpp")
    candidate = plain.model_copy(update={"sources": (*plain.sources, told)})
    assert court.build(candidate, POLICY).report.ok


OPTIONS = {
    "cpp": (
        "-fplugin=./evil.so", "-fplugin-arg-evil-x=1", "-B.", "-B/tmp", "@options",
        "-specs=evil.specs", "--specs=evil.specs", "-wrapper", "-wrapper=sh", "-include",
        "-include/etc/passwd", "-imacros",
        "-I/", "-I.", "-isystem/", "-iquote/", "-idirafter/", "--sysroot=/", "-L/", "-l:evil.so",
        "-Wl,-rpath,/tmp", "-Wl,@file", "-Wa,-I/", "-Wp,-MD,/tmp/x", "-Xlinker", "-Xassembler",
        "-T/tmp/x", "-o", "-o/tmp/x", "-save-temps", "-dumpdir", "-fdump-tree-all=/tmp/x", "-MD",
        "-MF/tmp/x", "-ftest-coverage", "-fprofile-dir=/tmp", "-fprofile-use=/etc/passwd",
        "-fprofile-generate", "-fauto-profile=/etc/passwd", "-fuse-ld=evil", "-x", "-pipe",
        "-no-canonical-prefixes", "--param=x=1", "-flto", "-fopt-info=/tmp/x", "-E", "-M",
        "-fmodule-mapper=|sh", "-fcallgraph-info", "-DX=$(id)", "-DX=`id`", "-DX=a b", "-O3\n-B.",
        "evil.o", "/tmp/evil.o",
    ),
    "cuda": (
        "-ccbin=sh", "--compiler-bindir=.", "--run", "--run-args=x", "-Xcompiler", "-Xptxas",
        "--options-file=x", "-optf", "--pre-include=/etc/passwd", "-include=/etc/passwd", "-I/",
        "--include-path=/", "--dopt=on", "-time=/tmp/x", "--device-time-trace=/tmp/x", "-pch",
        "--use-pch=/tmp/x", "--create-pch=/tmp/x", "--pch-dir=/tmp", "-keep", "--keep-dir=/tmp",
        "--dlink-time-opt", "--fdevice-time-trace=/tmp/x", "-DX=$(id)", "-O3\n-I/", "-o/tmp/x",
    ),
}  # fmt: skip
REFUSED = [(language, option) for language in OPTIONS for option in OPTIONS[language]]


PLAN = LaunchPlan.model_validate(
    {"kernels": [{"kernel": "run", "grid": ["1"], "block": ["32"], "arguments": ["x", "y"]}]}
)


@pytest.mark.parametrize(("language", "option"), REFUSED)
def test_no_option_runs_a_program_or_names_a_file(language, option):
    plain = solution(KERNEL if language == "cuda" else RUN, language=language)
    plan = PLAN if language == "cuda" else None
    candidate = plain.model_copy(update={"options": (option,), "launch_plan": plan})
    with pytest.raises(MalformedSolution, match="is not allowed"):
        plugins.load("languages")[language].check(candidate)


def test_a_library_that_acts_when_it_is_loaded_touches_nothing(court, tmp_path):
    secret, left = house_file(tmp_path, 0o600), tmp_path / "left"
    mine = ctypes.create_string_buffer(b"what the referee knows")
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(str(tmp_path / "bus"))
        service.listen()
        os.chmod(tmp_path / "bus", 0o777)
        told = (
            f'#define SECRET "{secret}"\n#define LEFT "{left}"\n'
            f'#define SERVICE "{tmp_path}/bus"\n'
            f"#define REFEREE {os.getpid()}\n#define PLACE {ctypes.addressof(mine)}ull\n"
        )
        plain = solution(source_of("acts_in_a_constructor.cpp"), language="cpp")
        sources = (*plain.sources, Source(path="told.h", content=told))
        found = verify(court, problem(), plain.model_copy(update={"sources": sources}), POLICY)
    assert found.compiled.ok, found.compiled.messages
    (judgement,) = found.judgements
    assert judgement.evaluation.status == "PASSED", judgement.evaluation.log
    assert not left.exists()


LEAVES = """
import os, pathlib
place = pathlib.Path(os.environ["TRITON_CACHE_DIR"]) / "choice"
print(place.read_text() if place.exists() else "nothing", flush=True)
place.write_text("{first}" if not place.exists() else "another choice")
"""


def outputs(court, candidate, runs):
    """What each of so many runners of a candidate finds in its cache."""
    found = []
    for _ in range(runs):
        with court.runner(POLICY) as runner:
            court.load(candidate, POLICY, runner)
            court.keep_warm(candidate, runner, POLICY)
            found.append(runner.output().strip())
    return found


def test_a_cache_stays_what_the_first_runner_left(court):
    candidate = solution(LEAVES.format(first="the first choice") + "def run(x, y):\n    pass\n")
    assert outputs(court, candidate, 4) == ["nothing", *["the first choice"] * 3]


def test_a_cache_that_the_first_runner_left_empty_stays_empty(court):
    candidate = solution(LEAVES.format(first="late") + "def run(x, y):\n    pass\n")
    court.build(candidate, POLICY)
    with court.runner(POLICY) as first:
        # It was never loaded here, and so left nothing.
        court.keep_warm(candidate, first, POLICY)
    assert outputs(court, candidate, 3) == ["nothing"] * 3


def test_no_candidate_finds_the_cache_of_another(court):
    mine = solution(LEAVES.format(first="mine") + "def run(x, y):\n    pass\n")
    other = solution(LEAVES.format(first="other") + "def run(x, y):\n    pass\n")
    outputs(court, mine, 1)
    assert outputs(court, other, 2) == ["nothing", "other"]
