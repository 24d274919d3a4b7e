"""The digest of machine code: names, comments and lines change nothing; what may matter does."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from guard import elf, plugins
from guard.domain.solution import LaunchPlan, Solution
from guard.domain.trace import CompileReport
from guard.ports import Artifact
from guard.referee.artifacts import identified
from tests.guard.languages.building import isolated

CPP = """
#include <cmath>
#include <cstdint>
static const float table[4] = {1, 2, 3, 5};
static float part(float x, int64_t i) { return expf(x) + table[i & 3]; }
extern "C" void run(const float* x, float* y, int64_t N) {
  for (int64_t i = 0; i < N; ++i) y[i] = part(x[i], i) / logf(x[i]);
}
extern "C" void other(const float* x, float* y, int64_t N) { y[0] = x[0]; }
"""
CALLED = """
#include <cstdint>
#define AS extern "C" __attribute__((noinline)) float
AS one(float x) { return x * 3.0f; }
AS two(float x) { return x * 5.0f; }
extern "C" void run(const float* x, float* y, int64_t N) { y[0] = one(x[0]); }
"""
STACK = 'asm(".section .note.GNU-stack,\\"x\\",@progbits\\n.text");\n'
EXCHANGED = CALLED.replace("AS one", "AS 2").replace("two", "one").replace("2(", "two(")
CUDA = """
__device__ float table[64] = {1, 2, 3};
__device__ __noinline__ float part(float x) { return x + table[(int)x & 63]; }
extern "C" __global__ void first(const float* x, float* y, int n) {
  __shared__ float row[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  row[threadIdx.x & 31] = x[i];
  __syncthreads();
  if (i < n) y[i] = part(row[(threadIdx.x + 1) & 31]);
}
extern "C" __global__ void second(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2;
}
"""
TRITON = """
import triton
import triton.language as tl

@triton.jit
def scaled(x, y, scale, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < size) * scale, mask=at < size)
"""
SOURCES = {"cpp": CPP, "cuda": CUDA, "triton": TRITON}


def launched(language: str, *kernels: str, block: str = "128") -> LaunchPlan:
    launch = {"grid": ["cdiv(N, 64)"]}
    if language == "cuda":
        launch |= {"arguments": ["x", "y", "int32:N"], "block": [block]}
    else:
        arguments = ["float32*:x", "float32*:y", "float32:scale", "int32:N"]
        launch |= {"arguments": arguments, "triton": {"constants": {"BLOCK": block}}}
    return LaunchPlan.model_validate({"kernels": [launch | {"kernel": k} for k in kernels]})


PLANS = {
    "cpp": None,
    "cuda": launched("cuda", "first", "second"),
    "triton": launched("triton", "scaled"),
}


def judged(make, folder: Path, language: str, **given) -> tuple[Solution, Artifact]:
    content = given.pop("content", SOURCES[language])
    solution = make(language, content, **{"launch_plan": PLANS[language], **given})
    plugin = plugins.load("languages")[language]
    plugin.check(solution)
    folder.mkdir()
    with isolated():
        artifact = plugin.compile(solution, "sm_90a", folder)
    assert artifact.report.ok, artifact.report.messages
    return solution, identified(plugin, solution, artifact)


def renamed(language: str, *pairs: tuple[str, str], head: str = "") -> dict[str, str]:
    text = SOURCES[language]
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return {"content": head + text}


SAME = [
    pytest.param("cpp", renamed("cpp", head="// other words\n\n"), id="cpp: a comment"),
    pytest.param(
        "cpp", renamed("cpp", ("part", "a_longer_name"), ("table", "t")), id="cpp: inner names"
    ),
    pytest.param(
        "cpp", renamed("cpp", ("other", "nobody_calls_this_by_name")), id="cpp: an outer name"
    ),
    pytest.param(
        "cpp",
        renamed("cpp", (" run(", " go(")) | {"entry_point": "go"},
        id="cpp: the entry point's name",
    ),
    pytest.param("cuda", renamed("cuda", head="// other words\n\n"), id="cuda: a comment"),
    pytest.param(
        "cuda",
        renamed("cuda", ("part", "piece"), ("table", "a_table"), ("row", "the_row")),
        id="cuda: inner names",
    ),
    pytest.param(
        "cuda",
        renamed("cuda", ("first", "a_kernel_of_mine"), ("second", "twice"))
        | {"launch_plan": launched("cuda", "a_kernel_of_mine", "twice")},
        id="cuda: the kernels' names",
    ),
    pytest.param("triton", renamed("triton", head="# other\n\n\n"), id="triton: a comment"),
    pytest.param(
        "triton",
        renamed("triton", ("scaled", "multiplied"), ("at", "where"))
        | {"launch_plan": launched("triton", "multiplied")},
        id="triton: names",
    ),
]
OTHER = [
    pytest.param("cpp", renamed("cpp", ("/ logf", "* logf")), id="cpp: code"),
    pytest.param("cpp", renamed("cpp", ("{1, 2, 3, 5}", "{1, 2, 3, 6}")), id="cpp: a constant"),
    pytest.param("cpp", renamed("cpp", ("logf", "sinf")), id="cpp: what is called elsewhere"),
    pytest.param("cpp", {"entry_point": "other"}, id="cpp: what is called"),
    pytest.param("cpp", {"options": ["-Wall"]}, id="cpp: an option"),
    pytest.param("cpp", {"content": CPP + STACK}, id="cpp: a stack that can be executed"),
    pytest.param("cuda", renamed("cuda", ("* 2", "* 3")), id="cuda: code"),
    pytest.param("cuda", renamed("cuda", ("{1, 2, 3}", "{1, 2, 4}")), id="cuda: a constant"),
    pytest.param(
        "cuda", {"launch_plan": launched("cuda", "second", "first")}, id="cuda: launched in turn"
    ),
    pytest.param(
        "cuda",
        {"launch_plan": launched("cuda", "first", "second", block="256")},
        id="cuda: launched otherwise",
    ),
    pytest.param("triton", renamed("triton", ("* scale", "/ scale")), id="triton: code"),
    pytest.param(
        "triton",
        {"launch_plan": launched("triton", "scaled", block="64")},
        id="triton: another constant",
    ),
]


@pytest.mark.parametrize(("language", "changed"), SAME)
def test_names_and_comments_change_nothing(make, tmp_path, language, changed):
    one, first = judged(make, tmp_path / "a", language)
    two, second = judged(make, tmp_path / "b", language, **changed)

    assert one.digest != two.digest
    assert len(first.report.code_digest) == 64
    assert first.report.code_digest == second.report.code_digest


@pytest.mark.parametrize(("language", "changed"), OTHER)
def test_what_may_matter_is_told_apart(make, tmp_path, language, changed):
    _, first = judged(make, tmp_path / "a", language)
    _, second = judged(make, tmp_path / "b", language, **changed)

    assert first.report.code_digest != second.report.code_digest != ""


def test_functions_that_exchange_their_names_are_told_apart(make, tmp_path):
    _, first = judged(make, tmp_path / "a", "cpp", content=CALLED)
    _, second = judged(make, tmp_path / "b", "cpp", content=EXCHANGED)

    assert first.report.code_digest != second.report.code_digest != ""


@pytest.mark.parametrize("language", ["pytorch", "cuda_cpp", "triton"])
def test_what_runs_on_the_host_or_is_compiled_later_has_none(make, tmp_path, language):
    solution = make(language)
    plugin = plugins.load("languages")[language]
    artifact = plugin.compile(solution, "sm_90a", tmp_path)
    assert identified(plugin, solution, artifact).report.code_digest == ""


def test_a_builder_does_not_say_what_its_files_are(make, tmp_path):
    solution, honest = judged(make, tmp_path / "a", "cuda")
    plugin = plugins.load("languages")["cuda"]
    claimed = CompileReport(ok=True, code_digest="0" * 64)

    for files in ({}, {"solution.cubin": b"no cubin"}):
        found = identified(plugin, solution, Artifact(claimed, files))
        assert found.report.code_digest == ""
    found = identified(plugin, solution, replace(honest, report=claimed))
    assert found.report.code_digest == honest.report.code_digest


def test_a_file_that_was_tampered_with_is_read_or_refused(make, tmp_path):
    solution, honest = judged(make, tmp_path / "a", "cuda")
    plugin = plugins.load("languages")["cuda"]
    code = honest.files["solution.cubin"]
    drawn = random.Random(5)
    seen = set()
    for _ in range(500):
        broken = bytearray(code)
        for _ in range(4):
            broken[drawn.randrange(64) if drawn.random() < 0.5 else drawn.randrange(len(code))] = (
                drawn.randrange(256)
            )
        try:
            seen.add(plugin.code_digest(solution, {"solution.cubin": bytes(broken)}))
        except elf.BadElf:
            seen.add("")
    assert len(seen) > 1


def test_sections_that_lie_over_each_other_are_refused(make, tmp_path):
    _, honest = judged(make, tmp_path / "a", "cuda")
    code = bytearray(honest.files["solution.cubin"])
    table = int.from_bytes(code[40:48], "little")
    for number in range(1, 20):
        row = table + 64 * number
        code[row + 4 : row + 8] = (1).to_bytes(4, "little")
        code[row + 24 : row + 40] = bytes(8) + len(code).to_bytes(8, "little")
    with pytest.raises(elf.BadElf, match="overlap"):
        elf.sections(bytes(code))
