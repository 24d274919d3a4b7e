"""Triton compiled ahead: without a GPU as far as cubins; what is marked `gpu` launches them."""

import re
import subprocess
from pathlib import Path

import pytest
import torch
import triton

from guard.domain.errors import MalformedSolution
from guard.domain.solution import LaunchPlan
from guard.languages.triton import LANGUAGE
from guard.triton_plan import RECORD, Record
from tests.guard.languages.building import architecture, isolated

HEAD = "import triton\nimport triton.language as tl\n\n"
KERNEL = """
@triton.jit
def scaled(x, y, scale, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < size) * scale, mask=at < size)
"""
# A descriptor made on the device needs scratch memory of the host's.
DESCRIBED = """
@triton.jit
def scaled(x, y, scale, size, BLOCK: tl.constexpr):
    rows = tl.make_tensor_descriptor(x, [size // 64, 64], [64, 1], [BLOCK, 64])
    out = tl.make_tensor_descriptor(y, [size // 64, 64], [64, 1], [BLOCK, 64])
    first = tl.program_id(0) * BLOCK
    out.store([first, 0], rows.load([first, 0]) * scale)
"""
ARGUMENTS = ("float32*:x", "float32*:y", "float32:scale", "int32:N")
NAMES = ("x", "scale", "y")


def plan(arguments=ARGUMENTS, kernel="scaled", grid="cdiv(N, 64)", **options):
    options = {"constants": {"BLOCK": "64"}} | options
    launch = {"kernel": kernel, "grid": (grid,), "arguments": arguments, "triton": options}
    return LaunchPlan.model_validate({"kernels": [launch]})


def compiled(make, folder, source=KERNEL, written=None, target="sm_90a"):
    solution = make("triton", HEAD + source, launch_plan=written or plan())
    LANGUAGE.check(solution)
    with isolated():
        return LANGUAGE.compile(solution, target, folder)


def record_of(artifact):
    assert artifact.report.ok, artifact.report.messages
    return Record.model_validate_json(artifact.files[RECORD])


def test_nothing_but_cubins_and_a_record_is_handed_on(make, tmp_path):
    artifact = compiled(make, tmp_path)
    (kernel,) = record_of(artifact).kernels
    assert set(artifact.files) == {RECORD, "kernel_0.cubin"}
    assert artifact.files["kernel_0.cubin"].startswith(b"\x7fELF")
    assert kernel.parameters == ("x", "y", "scale", "size")
    assert kernel.warps == 4


@pytest.mark.parametrize("source", [KERNEL, DESCRIBED], ids=["plain", "descriptors"])
def test_the_cubin_has_the_parameters_that_the_record_tells(make, tmp_path, source):
    artifact = compiled(make, tmp_path, source)
    (kernel,) = record_of(artifact).kernels
    tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
    cubin = tmp_path / "kernel.cubin"
    cubin.write_bytes(artifact.files["kernel_0.cubin"])
    told = subprocess.run(
        [str(tool), "-elf", str(cubin)], capture_output=True, text=True, check=True
    ).stdout
    parameters = len(kernel.parameters) + len(kernel.scratch_bytes)
    assert len(re.findall(r"EIATTR_KPARAM_INFO", told)) == parameters
    assert any(kernel.scratch_bytes) is (source is DESCRIBED)


def test_constants_warps_and_width_reach_the_compiler(make, tmp_path):
    constants = {"BLOCK": {"value": "N", "among": [64, 256]}}
    options = {"constants": constants, "num_warps": "BLOCK // 64", "multiples_of_16": ["size"]}
    kernels = record_of(compiled(make, tmp_path, written=plan(**options))).kernels
    assert [(k.constants["BLOCK"], k.warps) for k in kernels] == [(64, 1), (256, 4)]


FAILS = [
    pytest.param(KERNEL, plan(kernel="other"), "no function of this name; it has: scaled", id="n"),
    pytest.param(KERNEL, plan(ARGUMENTS[:3]), "takes 4 besides its constants", id="arguments"),
    pytest.param(KERNEL, plan(constants={}), "tl.constexpr parameters BLOCK have", id="no value"),
    pytest.param(
        KERNEL,
        plan(constants={"BLOCK": "1", "B": "1"}),
        "constants.B .*no such parameter",
        id="constant",
    ),
    pytest.param(KERNEL, plan(multiples_of_16=["z"]), "'z' is no parameter", id="multiple"),
    pytest.param(
        KERNEL.replace("@triton.jit", "@triton.autotune([], key=[])\n@triton.jit"),
        plan(),
        "holds no plain @triton.jit.*Autotuning",
        id="autotuned",
    ),
    pytest.param(KERNEL.replace("tl.load", "tl.lode"), plan(), "lode", id="Triton's own error"),
    pytest.param(KERNEL + "this is (", plan(), "SyntaxError", id="syntax"),
    pytest.param(
        KERNEL, plan(("float32*:x", "float32*:y", "float32*:x", "int32:N")), "error:", id="types"
    ),
]


@pytest.mark.parametrize(("source", "written", "message"), FAILS)
def test_what_does_not_compile_is_a_report(make, tmp_path, source, written, message):
    artifact = compiled(make, tmp_path, source, written)
    assert not artifact.report.ok
    assert not artifact.files
    assert re.search(message, artifact.report.messages, re.DOTALL), artifact.report.messages
    assert str(tmp_path) not in artifact.report.messages


def test_a_plan_writes_its_outputs(make):
    with pytest.raises(MalformedSolution, match="destination_passing_style"):
        LANGUAGE.check(make("triton", launch_plan=plan(), destination_passing_style=False))


def test_for_a_cpu_the_source_itself_is_handed_on(make, tmp_path):
    artifact = compiled(make, tmp_path, target="x86-64-v3")
    assert set(artifact.files) == {"kernel.py"}


# --- on a GPU -------------------------------------------------------------------------------


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("source", "written"),
    [
        pytest.param(KERNEL, plan(), id="plain"),
        pytest.param(KERNEL, plan(multiples_of_16=["size"], num_warps="8"), id="wide"),
        pytest.param(KERNEL, plan(num_ctas="2"), id="two blocks a program"),
        pytest.param(
            DESCRIBED, plan(grid="cdiv(N, 64 * 8)", constants={"BLOCK": "8"}), id="scratch memory"
        ),
    ],
)
def test_a_kernel_compiled_ahead_is_right(make, loaded, source, written):
    kernel = loaded(make("triton", HEAD + source, launch_plan=written), architecture())
    x = torch.randn(4096, device="cuda")
    y = torch.full_like(x, float("nan"))
    kernel.bind([x, 1.5], [y], {"N": 4096}, NAMES)()
    assert torch.equal(y, x * 1.5)


@pytest.mark.gpu
def test_the_runner_of_a_sealed_candidate_has_no_source_to_run(make, loaded, tmp_path):
    kernel = loaded(make("triton", HEAD + KERNEL, launch_plan=plan()), architecture())
    assert kernel.codes.keys() == {"kernel_0.cubin"}
    assert not list((tmp_path / "runner").rglob("*.py"))


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        pytest.param(RECORD, b"{}", "a record that cannot be read", id="record"),
        pytest.param(RECORD, b'{"kernels": [{"index": 1e99}]}', "cannot be read", id="absurd"),
        pytest.param("kernel_0.cubin", b"\x7fELF" + b"\xff" * 600, "finds no kernel", id="ELF"),
        pytest.param("kernel_0.cubin", b"no cubin", "finds no kernel", id="no ELF"),
    ],
)
def test_what_a_lying_builder_leaves_is_refused(make, loaded, tmp_path, file, content, message):
    solution = make("triton", HEAD + KERNEL, launch_plan=plan())
    loaded(solution, architecture())
    (tmp_path / "runner" / file).write_bytes(content)
    x = torch.zeros(64, device="cuda")
    with pytest.raises(MalformedSolution, match=message):
        LANGUAGE.load(solution, tmp_path / "runner").bind([x, 1.5], [x.clone()], {"N": 64}, NAMES)
