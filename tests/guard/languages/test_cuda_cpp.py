import re

import pytest
import torch

from guard.domain.errors import MalformedSolution
from guard.domain.solution import Source
from guard.languages.cuda_cpp import LANGUAGE
from guard.torch_build import FULL_LIBRARY, LIGHT_LIBRARY

NAMES = ("x", "scale", "y")
HOST = """
#include <torch/extension.h>
{body}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ m.def("run", &run, "a test"); }}
"""
ROWS = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_bf16.h>

__global__ void scaled(const __nv_bfloat16* x, __nv_bfloat16* y, float by, int64_t n) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2bfloat16(__bfloat162float(x[i]) * by);
}

torch::Tensor run(torch::Tensor x, double by) {
  TORCH_CHECK(x.is_cuda(), "x must be on the GPU, not on device type ", int(x.device().type()));
  const at::cuda::CUDAGuard on(x.device());
  auto y = torch::empty_like(x);
  scaled<<<(x.numel() + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const __nv_bfloat16*>(x.data_ptr<at::BFloat16>()),
      reinterpret_cast<__nv_bfloat16*>(y.data_ptr<at::BFloat16>()), float(by), x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
"""


def host(body: str) -> str:
    return HOST.format(body=body)


def test_a_call_writes_the_outputs(make, loaded):
    x, y = torch.randn(1000), torch.full((1000,), float("nan"))
    call = loaded(make("cuda_cpp")).bind([x, 1.5], [y], {"N": 1000}, NAMES)
    assert call() is None
    assert torch.equal(y, x * 1.5)


RETURNING = [
    pytest.param("torch::Tensor", "y", id="a tensor"),
    pytest.param("std::vector<torch::Tensor>", "{y, x}", id="a list"),
    pytest.param("std::tuple<at::Tensor, at::Tensor>", "std::make_tuple(y, x)", id="a tuple"),
]


@pytest.mark.parametrize(("kind", "value"), RETURNING)
def test_what_is_returned_comes_back_as_tensors(make, loaded, kind, value):
    body = f"""
    {kind} run(const torch::Tensor& x, float by) {{
      auto y = torch::zeros({{x.size(0), x.size(-1)}}, x.options().dtype(torch::kFloat64));
      for (int64_t i = 0; i < x.numel(); ++i) y.data_ptr<double>()[i] = by * x.data_ptr<float>()[i];
      return {value};
    }}"""
    x = torch.randn(3, 5)
    solution = make("cuda_cpp", host(body), destination_passing_style=False)
    returned = loaded(solution).bind([x, 2.0], [], {}, ("x", "by", "y"))()
    assert torch.equal(returned[0], 2.0 * x.double())
    assert len(returned) == 1 or torch.equal(returned[1], x)


def test_every_kind_of_argument_arrives(make, loaded):
    body = """
    void run(torch::Tensor a, bool b, int64_t c, double d, int e, torch::Tensor y) {
      auto* to = y.data_ptr<double>();
      to[0] = a.data_ptr<int32_t>()[1]; to[1] = b; to[2] = c; to[3] = d; to[4] = e;
    }"""
    y = torch.zeros(5, dtype=torch.float64)
    a = torch.tensor([0, 7], dtype=torch.int32)
    given = [a, True, -(2**40), 0.25, -3]
    loaded(make("cuda_cpp", host(body))).bind(given, [y], {}, ("a", "b", "c", "d", "e", "y"))()
    assert y.tolist() == [7, 1, -(2**40), 0.25, -3]


RAISING = [
    pytest.param('TORCH_CHECK(x.dim() == 3, "not ", x.dim());', "not 1", id="a check"),
    pytest.param("x.data_ptr<double>();", "of another type", id="another type of elements"),
    pytest.param("x.size(1);", "dimension 1 is out of range", id="no such dimension"),
    pytest.param("throw 3;", "no std::exception", id="something odd"),
]


@pytest.mark.parametrize(("statement", "message"), RAISING)
def test_what_is_thrown_is_raised_with_its_words(make, loaded, statement, message):
    body = f"void run(torch::Tensor x, torch::Tensor y) {{ {statement} }}"
    call = loaded(make("cuda_cpp", host(body))).bind([torch.ones(2)], [torch.ones(2)], {}, NAMES)
    with pytest.raises(RuntimeError, match=re.escape(message)):
        call()


def test_the_number_of_arguments_must_fit(make, loaded):
    call = loaded(make("cuda_cpp")).bind([torch.ones(2)], [torch.ones(2)], {}, NAMES)
    with pytest.raises(RuntimeError, match="run takes 3 arguments, and is given 2"):
        call()


def test_a_function_that_is_not_bound_is_named(make, loaded):
    with pytest.raises(MalformedSolution, match="has no function 'start'"):
        loaded(make("cuda_cpp", entry_point="start"))


def test_a_source_beyond_the_light_headers_is_compiled_with_torchs_own(make, loaded, tmp_path):
    source = """
    #include <ATen/core/Tensor.h>
    #include <torch/csrc/utils/pybind.h>
    void run(at::Tensor x, double by, at::Tensor y) { y.copy_(x.mul(by)); }
    PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
    """
    x, y = torch.randn(10), torch.zeros(10)
    loaded(make("cuda_cpp", source)).bind([x, 0.5], [y], {}, NAMES)()
    assert torch.equal(y, x * 0.5)
    assert [f.name for f in (tmp_path / "runner").iterdir()] == [FULL_LIBRARY]


def test_a_kernel_with_a_binding_compiles_without_a_gpu(make, tmp_path):
    sources = (Source(path="kernel.cu", content=ROWS),)
    solution = make("cuda_cpp", sources=sources, destination_passing_style=False)
    LANGUAGE.check(solution)
    artifact = LANGUAGE.compile(solution, "sm_90a", tmp_path)
    assert artifact.report.ok, artifact.report.messages
    assert list(artifact.files) == [LIGHT_LIBRARY]
    assert [r.registers > 0 for r in artifact.report.resources] == [True]


LAUNCHING = "void launch(float*); void run(torch::Tensor y) { launch(y.data_ptr<float>()); }"
LAUNCHED = '#include "set.h"\nvoid launch(float* y) { set<<<1, 1>>>(y); }'


def test_host_and_device_files_are_linked_together(make, tmp_path):
    sources = (
        Source(path="bind.cpp", content=host(LAUNCHING)),
        Source(path="kernel.cu", content=LAUNCHED),
        Source(path="set.h", content="__global__ void set(float* y) { *y = 1; }"),
    )
    artifact = LANGUAGE.compile(make("cuda_cpp", sources=sources), "sm_90a", tmp_path)
    assert artifact.report.ok, artifact.report.messages


def test_an_error_has_file_line_and_column(make, tmp_path):
    report = LANGUAGE.compile(make("cuda_cpp", "int a;\nint b = c;\n"), "native", tmp_path).report
    assert "kernel.cpp:2:9: error: 'c' was not declared" in report.messages


def test_an_undefined_function_is_a_compile_error(make, tmp_path):
    source = host("void other(); void run(torch::Tensor x) { other(); }")
    report = LANGUAGE.compile(make("cuda_cpp", source), "native", tmp_path).report
    assert not report.ok
    assert "undefined reference to `other()'" in report.messages


OPTIONS = [
    pytest.param("-O3", True, id="optimised"),
    pytest.param("--use_fast_math", True, id="fast math"),
    pytest.param("-std=c++17", True, id="standard"),
    pytest.param("--expt-relaxed-constexpr", True, id="constexpr"),
    pytest.param("-lineinfo", True, id="lines"),
    pytest.param("-lcuda", True, id="driver"),
    pytest.param("-DNDEBUG", True, id="macro"),
    pytest.param("-U__CUDA_NO_HALF_OPERATORS__", True, id="no macro"),
    pytest.param("-gencode=arch=compute_100a,code=sm_100a", True, id="another GPU"),
    pytest.param("-arch=sm_90", True, id="architecture"),
    pytest.param("-fplugin=x", False, id="plugin"),
    pytest.param("-Xcompiler=-fplugin=x", False, id="plugin through nvcc"),
    pytest.param("--compiler-bindir=/tmp", False, id="another compiler"),
    pytest.param("-I/", False, id="include"),
    pytest.param("-Wl,-rpath=/tmp", False, id="linker"),
    pytest.param("-l/tmp/x", False, id="a library by its path"),
    pytest.param("-lcuda -I/", False, id="two in one"),
    pytest.param("", False, id="empty"),
]


@pytest.mark.parametrize(("option", "allowed"), OPTIONS)
def test_options_come_from_a_list(make, option, allowed):
    solution = make("cuda_cpp", options=(option,))
    if allowed:
        LANGUAGE.check(solution)
    else:
        with pytest.raises(MalformedSolution, match=r"is not allowed\. Allowed: for both"):
            LANGUAGE.check(solution)


def test_options_reach_the_compiler(make, loaded):
    body = "void run(torch::Tensor y) { *y.data_ptr<float>() = WIDTH; }"
    y = torch.zeros(1)
    loaded(make("cuda_cpp", host(body), options=("-DWIDTH=8",))).bind([], [y], {}, ("y",))()
    assert y.item() == 8


REFUSED = [
    pytest.param((Source(path="kernel.py", content="x"),), id="Python"),
    pytest.param((Source(path="sub/kernel.cu", content="x"),), id="in a folder"),
]


@pytest.mark.parametrize("sources", REFUSED)
def test_an_entry_file_that_would_not_be_compiled_is_refused(make, sources):
    with pytest.raises(MalformedSolution, match="lie in no folder"):
        LANGUAGE.check(make("cuda_cpp", sources=sources))


def test_what_is_missing_is_a_reason(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert "no C++ compiler" in (LANGUAGE.unavailable() or "")


def test_without_nvcc_only_host_code_compiles(make, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr("guard.torch_build.toolkits", lambda: iter(()))
    assert "no nvcc" in (LANGUAGE.runs_on("nvidia") or "")
    assert LANGUAGE.runs_on("cpu") is None
    sources = (Source(path="kernel.cu", content=ROWS),)
    report = LANGUAGE.compile(make("cuda_cpp", sources=sources), "sm_90a", tmp_path).report
    assert "no nvcc here" in report.messages


PREPARING = """
#include <torch/extension.h>
torch::Tensor prepare(torch::Tensor w) {
  auto made = torch::zeros({w.numel()}, w.options());
  for (int64_t i = 0; i < w.numel(); ++i) made.data_ptr<float>()[i] = 2 * w.data_ptr<float>()[i];
  return made;
}
void run(torch::Tensor x, double by, torch::Tensor made, torch::Tensor y) {
  for (int64_t i = 0; i < x.numel(); ++i)
    y.data_ptr<float>()[i] = x.data_ptr<float>()[i] * by * made.data_ptr<float>()[i];
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("run", &run);
  m.def("prepare", &prepare);
}
"""


def test_what_a_module_prepared_stands_between_inputs_and_outputs(make, loaded):
    kernel = loaded(make("cuda_cpp", PREPARING)).prepare([torch.full((3,), 5.0)], {})
    y = torch.zeros(3)
    kernel.bind([torch.ones(3), 3.0], [y], {}, ("x", "by", "y"))()
    assert y.tolist() == [30.0] * 3


def test_a_module_without_such_a_function_prepares_nothing(make, loaded):
    assert loaded(make("cuda_cpp")).prepare([torch.ones(3)], {}) is None
