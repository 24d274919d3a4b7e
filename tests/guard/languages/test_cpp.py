import pytest
import torch

from guard.domain.errors import MalformedSolution
from guard.domain.solution import Source
from guard.languages.cpp import LANGUAGE

NAMES = ("x", "scale", "y")


def test_a_call_writes_the_outputs(make, loaded):
    x, y = torch.randn(1000), torch.full((1000,), float("nan"))
    call = loaded(make("cpp")).bind([x, 1.5], [y], {"N": 1000}, NAMES)
    assert call() is None
    assert torch.equal(y, x * 1.5)


EVERY_KIND = """
#include <cstdint>
extern "C" void run(const int32_t* a, bool b, int64_t c, double d, double* y,
                    int64_t M, int64_t N) {
  y[0] = a[1]; y[1] = b; y[2] = c; y[3] = d; y[4] = M; y[5] = N;
}
"""


def test_every_kind_of_argument_arrives(make, loaded):
    y = torch.zeros(6, dtype=torch.float64)
    a = torch.tensor([0, 7], dtype=torch.int32)
    axes = {"M": 2**40, "N": 3}
    kernel = loaded(make("cpp", EVERY_KIND))
    kernel.bind([a, True, -(2**40), 0.25], [y], axes, ("a", "b", "c", "d", "y"))()
    assert y.tolist() == [7, 1, -(2**40), 0.25, 2**40, 3]


def test_a_bound_call_keeps_its_tensors_alive(make, loaded):
    y = torch.zeros(4)
    call = loaded(make("cpp")).bind([torch.ones(4), 2.0], [y], {"N": 4}, NAMES)
    _ = [torch.full((4,), 9.0) for _ in range(50)]  # would take the freed memory
    call()
    assert y.tolist() == [2, 2, 2, 2]


def test_headers_and_further_files_are_compiled_together(make, loaded):
    sources = (
        Source(path="kernel.cpp", content='#include "inc/factor.h"\n' + make("cpp").source),
        Source(path="inc/factor.h", content="float factor();\n"),
        Source(path="factor.cpp", content="float factor() { return 3; }\n"),
    )
    x, y = torch.ones(2), torch.zeros(2)
    loaded(make("cpp", sources=sources)).bind([x, 4.0], [y], {"N": 2}, NAMES)()
    assert y.tolist() == [4, 4]


def test_an_error_has_file_line_and_column(make, tmp_path):
    report = LANGUAGE.compile(make("cpp", "int a;\nint b = c;\n"), "native", tmp_path).report
    assert "kernel.cpp:2:9: error: 'c' was not declared" in report.messages


MISSING = [
    pytest.param("void run() {}", id="C++ linkage"),
    pytest.param('extern "C" void start() {}', id="another name"),
]


@pytest.mark.parametrize("source", MISSING)
def test_a_missing_entry_function_is_a_compile_error(make, tmp_path, source):
    report = LANGUAGE.compile(make("cpp", source), "native", tmp_path).report
    assert not report.ok
    assert 'write `extern "C" void run(…)`' in report.messages


def test_an_undefined_symbol_is_a_compile_error(make, tmp_path):
    source = 'void other();\nextern "C" void run() { other(); }\n'
    report = LANGUAGE.compile(make("cpp", source), "native", tmp_path).report
    assert not report.ok
    assert "undefined reference to `other()'" in report.messages


OPTIONS = [
    pytest.param("-ffast-math", True, id="fast math"),
    pytest.param("-O2", True, id="less optimised"),
    pytest.param("-fno-math-errno", True, id="fno"),
    pytest.param("-DTILE=64", True, id="macro"),
    pytest.param("-DF=1.5e-3", True, id="macro with a number"),
    pytest.param("-mprefer-vector-width=512", True, id="vector width"),
    pytest.param("-DX=$(id)", False, id="macro with a shell"),
    pytest.param("-Wl,-rpath=/tmp", False, id="linker"),
    pytest.param("-fplugin-arg-x=1", False, id="plugin"),
    pytest.param("-specs=x", False, id="specs"),
    pytest.param("-march=skylake", False, id="another machine"),
    pytest.param("-O2 -I/", False, id="two in one"),
    pytest.param("", False, id="empty"),
]


@pytest.mark.parametrize(("option", "allowed"), OPTIONS)
def test_options_come_from_a_list(make, option, allowed):
    solution = make("cpp", options=(option,))
    if allowed:
        LANGUAGE.check(solution)
    else:
        with pytest.raises(MalformedSolution, match=r"is not allowed\. Allowed: -O0"):
            LANGUAGE.check(solution)


def test_options_reach_the_compiler(make, loaded):
    source = '#include <cstdint>\nextern "C" void run(float* y, int64_t) { *y = WIDTH; }\n'
    y = torch.zeros(1)
    loaded(make("cpp", source, options=("-DWIDTH=8",))).bind([], [y], {"N": 1}, ("y",))()
    assert y.item() == 8


def test_it_runs_on_a_cpu_only():
    assert LANGUAGE.runs_on("cpu") is None
    assert "'nvidia'" in (LANGUAGE.runs_on("nvidia") or "")


def test_return_style_is_refused(make):
    with pytest.raises(MalformedSolution, match="destination_passing_style"):
        LANGUAGE.check(make("cpp", destination_passing_style=False))


def test_no_compiler_is_a_reason(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert "no C++ compiler" in (LANGUAGE.unavailable() or "")


PREPARING = """
#include <cstdint>
#include <vector>
extern "C" void* prepare(const float* w, int64_t N) {
  if (w[0] < 0) return nullptr;
  auto* packed = new std::vector<float>(w, w + N);
  for (float& value : *packed) value *= 2;
  return packed;
}
extern "C" void run(const float* x, double by, const void* prepared, float* y, int64_t N) {
  const auto& w = *static_cast<const std::vector<float>*>(prepared);
  for (int64_t i = 0; i < N; ++i) y[i] = x[i] * w[i] * static_cast<float>(by);
}
"""


def test_what_a_function_prepared_stands_between_inputs_and_outputs(make, loaded):
    kernel, axes = loaded(make("cpp", PREPARING)), {"N": 3}
    ready = [kernel.prepare([torch.full((3,), n)], axes) for n in (1.0, 5.0)]
    found = []
    for one in ready:
        y = torch.zeros(3)
        one.bind([torch.ones(3), 3.0], [y], axes, NAMES)()
        found.append(y.tolist())
    assert found == [[6.0] * 3, [30.0] * 3]
    with pytest.raises(RuntimeError, match="null pointer"):
        kernel.prepare([torch.full((3,), -1.0)], axes)


def test_a_library_without_such_a_function_prepares_nothing(make, loaded):
    assert loaded(make("cpp")).prepare([torch.ones(3)], {"N": 3}) is None
