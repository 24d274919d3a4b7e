"""Compiling needs no GPU; what is marked `gpu` launches for real."""

import pytest
import torch

from guard.domain.errors import MalformedSolution
from guard.domain.solution import KernelLaunch, LaunchPlan, Source
from guard.languages.cuda import LANGUAGE
from tests.guard.languages.building import architecture

NAMES = ("x", "scale", "y")


def plan(kernel="k", *, arguments=("y",), shared="0", workspaces=None, grid="1", block="1"):
    launch = KernelLaunch(
        kernel=kernel, grid=(grid,), block=(block,), shared_bytes=shared, arguments=arguments
    )
    return LaunchPlan(kernels=(launch,), workspaces=workspaces or {})


# Header, and a statement that uses it.
INCLUDES = [
    ("stdint.h", "uint64_t a = 1; y[0] = a + INT32_MAX;"),
    ("cstdint", "std::int8_t a = 1; y[0] = a;"),
    ("stddef.h", "ptrdiff_t a = 1; y[0] = a;"),
    ("cstddef", "std::size_t a = 1; y[0] = a;"),
    ("math.h", "y[0] = expf(y[1]) + INFINITY + M_PI;"),
    ("cmath", "y[0] = std::sqrt(y[1]) + std::exp(y[2]) + std::pow(y[3], 2.0f) + std::abs(y[4]);"),
    ("cfloat", "y[0] = FLT_MAX;"),
    ("climits", "y[0] = INT_MAX;"),
    ("cassert", "assert(y[0] > 0);"),
    ("cstdio", 'if (y[0] > 0) printf("%f", y[0]);'),
    ("cstring", "memset(y, 0, 4);"),
    ("algorithm", "y[0] = std::max(y[1], std::min(y[2], 3.0f));"),
    ("cuda_bf16.h", "y[0] = __bfloat162float(__float2bfloat16(y[1]));"),
    ("cuda_fp16.h", "y[0] = __half2float(__float2half(y[1]));"),
    ("cuda_fp8.h", "y[0] = float(__nv_fp8_e4m3(y[1]));"),
    ("mma.h", "nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> f;"
              "nvcuda::wmma::fill_fragment(f, y[0]);"
              "nvcuda::wmma::store_matrix_sync(y, f, 16, nvcuda::wmma::mem_row_major);"),
    ("cuda.h", "CUtensorMap map; CUdeviceptr p = 1; y[0] = sizeof(map) + p;"),
    ("cuda_runtime.h", "float4 v = make_float4(1, 2, 3, 4); y[0] = v.x;"),
    ("cuda_pipeline.h", "__pipeline_commit();"),
]  # fmt: skip


@pytest.mark.parametrize(("header", "statement"), [pytest.param(*c, id=c[0]) for c in INCLUDES])
def test_ordinary_headers_are_found(make, tmp_path, header, statement):
    source = f'#include <{header}>\nextern "C" __global__ void k(float* y) {{ {statement} }}\n'
    report = LANGUAGE.compile(make("cuda", source, launch_plan=plan()), "native", tmp_path).report
    assert report.ok, report.messages
    assert report.messages == ""


def test_headers_of_the_cpp_library_work_together(make, tmp_path):
    headers = [h for h, _ in INCLUDES] + ["type_traits", "utility", "limits", "array", "tuple"]
    source = "".join(f"#include <{h}>\n" for h in headers)
    source += 'extern "C" __global__ void k(float* y) {\n'
    source += "  static_assert(std::is_same<std::tuple<int>, std::tuple<int>>::value);\n"
    source += "  y[0] = std::max(std::numeric_limits<float>::lowest(), y[1]);\n}\n"
    report = LANGUAGE.compile(make("cuda", source, launch_plan=plan()), "native", tmp_path).report
    assert report.ok, report.messages


def test_resources_are_reported_without_a_gpu(make, tmp_path):
    source = (
        'extern "C" __global__ void k(float* y) {\n'
        "  __shared__ float s[256];\n  s[threadIdx.x] = y[threadIdx.x];\n  __syncthreads();\n"
        "  y[threadIdx.x] = s[255 - threadIdx.x];\n}\n"
    )
    report = LANGUAGE.compile(make("cuda", source, launch_plan=plan()), "native", tmp_path).report
    (resources,) = report.resources
    assert resources.kernel == "k"
    assert resources.shared_bytes == 1024
    assert 4 <= resources.registers <= 64
    assert resources.spill_bytes == 0


def test_instructions_of_hopper_alone_compile_for_the_default_architecture(make, tmp_path):
    body = 'asm volatile("wgmma.fence.sync.aligned;");'
    source = f'extern "C" __global__ void k(float* y) {{ {body} }}\n'
    solution = make("cuda", source, launch_plan=plan())
    assert LANGUAGE.compile(solution, "x86-64-v3", tmp_path).report.ok
    report = LANGUAGE.compile(solution, "sm_80", tmp_path).report
    assert not report.ok
    assert "wgmma" in report.messages


def test_an_error_has_file_and_line(make, tmp_path):
    source = 'extern "C" __global__ void k(float* y) {\n  y[0] = z;\n}\n'
    report = LANGUAGE.compile(make("cuda", source), "native", tmp_path).report
    assert report.messages.startswith('kernel.cu(2): error: identifier "z" is undefined')


def test_a_kernel_that_the_plan_names_must_exist(make, tmp_path):
    source = "__global__ void scaled(float* y) {}\n"
    report = LANGUAGE.compile(make("cuda", source), "native", tmp_path).report
    assert not report.ok
    assert "names scaled, but the source compiles to: _Z6scaledPf" in report.messages


def test_a_local_header_is_found(make, tmp_path):
    sources = (
        Source(path="src/kernel.cu", content='#include "tile.cuh"\n' + make("cuda").source),
        Source(path="src/tile.cuh", content="#pragma once\n"),
    )
    assert LANGUAGE.compile(make("cuda", sources=sources), "native", tmp_path).report.ok


OPTIONS = [
    pytest.param("--use_fast_math", True, id="fast math"),
    pytest.param("-O3", True, id="the default"),
    pytest.param("--maxrregcount=64", True, id="register cap"),
    pytest.param("-DTILE=64", True, id="macro"),
    pytest.param("--std=c++20", True, id="standard"),
    pytest.param("--maxrregcount=9999", False, id="absurd register cap"),
    pytest.param("--include-path=/etc", False, id="folder"),
    pytest.param("--create-pch=x", False, id="file"),
]


@pytest.mark.parametrize(("option", "allowed"), OPTIONS)
def test_options_come_from_a_list(make, tmp_path, option, allowed):
    solution = make("cuda", options=(option,))
    if allowed:
        LANGUAGE.check(solution)
        assert LANGUAGE.compile(solution, "native", tmp_path).report.ok
    else:
        with pytest.raises(MalformedSolution, match=r"is not allowed\. Allowed: --use"):
            LANGUAGE.check(solution)


def test_macros_reach_the_compiler(make, tmp_path):
    source = "#if TILE != 64 || !defined(FLAG)\n#error macros\n#endif\n" + make("cuda").source
    solution = make("cuda", source, options=("-DTILE=64", "-DFLAG"))
    assert LANGUAGE.compile(solution, "native", tmp_path).report.ok


REFUSED = [
    pytest.param({"launch_plan": None}, "launch_plan", id="no plan"),
    pytest.param({"destination_passing_style": False}, "destination_passing", id="return style"),
    pytest.param({"launch_plan": plan(grid="N[0]")}, r"kernels\[0\].grid", id="bad expression"),
]


@pytest.mark.parametrize(("fields", "field"), REFUSED)
def test_check_refuses_by_field(make, fields, field):
    with pytest.raises(MalformedSolution, match=field):
        LANGUAGE.check(make("cuda", **fields))


def test_without_a_gpu_it_is_compiled_not_verified():
    assert LANGUAGE.runs_on("cpu") == "compiled, not verified: no CUDA device here"
    assert LANGUAGE.runs_on("nvidia") is None


# --- on a GPU -------------------------------------------------------------------------------


@pytest.mark.gpu
def test_a_call_launches_on_the_current_stream_and_is_captured(make, loaded):
    x = torch.randn(1000, device="cuda")
    y = torch.full((1000,), float("nan"), device="cuda")
    call = loaded(make("cuda"), architecture()).bind([x, 1.5], [y], {"N": 1000}, NAMES)
    assert call() is None
    torch.cuda.synchronize()
    assert torch.equal(y, x * 1.5)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    y.fill_(float("nan"))
    x.normal_()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(y, x * 1.5)


@pytest.mark.gpu
def test_large_shared_memory_and_workspaces_work(make, loaded):
    source = """
    extern "C" __global__ void fill(float* w, int n, double v) { w[threadIdx.x] = n + v; }
    extern "C" __global__ void k(const float* w, float* y) {
      extern __shared__ float s[];
      s[50000] = w[threadIdx.x];
      y[0] = s[50000];
    }
    """
    fill = KernelLaunch(
        kernel="fill", grid=("1",), block=("1",),
        arguments=("w", "int32:N+1", "float64:0.5"),
    )  # fmt: skip
    k = KernelLaunch(
        kernel="k", grid=("1",), block=("1",), shared_bytes="200*1024", arguments=("w", "y")
    )
    both = LaunchPlan(kernels=(fill, k), workspaces={"w": "4*N"})
    y = torch.zeros(1, device="cuda")
    kernel = loaded(make("cuda", source, launch_plan=both), architecture())
    kernel.bind([], [y], {"N": 32}, ("y",))()
    assert y.item() == 33.5
    kernel.bind([], [y], {"N": 32}, ("y",))
    assert len(kernel.workspaces) == 1


MISFITS = [
    pytest.param({"arguments": ("y", "int32:1")}, "takes 1 .* plan gives 2", id="count"),
    pytest.param({"arguments": ("int32:1",)}, "parameter 0 has 8 bytes, int32 has 4", id="size"),
    pytest.param({"shared": "512*1024"}, "more than this GPU offers", id="shared memory"),
    pytest.param({"arguments": ("z",)}, "'z' names nothing here. Known: y", id="unknown name"),
]  # fmt: skip


@pytest.mark.gpu
@pytest.mark.parametrize(("fields", "message"), MISFITS)
def test_what_does_not_fit_the_kernel_is_refused_at_bind(make, loaded, fields, message):
    source = 'extern "C" __global__ void k(float* y) { y[0] = 1; }\n'
    kernel = loaded(make("cuda", source, launch_plan=plan(**fields)), architecture())
    with pytest.raises(MalformedSolution, match=message):
        kernel.bind([], [torch.zeros(1, device="cuda")], {"N": 1}, ("y",))


@pytest.mark.gpu
def test_an_empty_grid_launches_nothing(make, loaded):
    y = torch.zeros(1, device="cuda")
    kernel = loaded(make("cuda"), architecture())
    kernel.bind([y, 1.0], [y], {"N": 0}, NAMES)()
    torch.cuda.synchronize()
