"""What real compilers made, as the digest tells it. Needs no GPU."""

import shutil

import pytest

from guard.domain.solution import LaunchPlan
from guard.evidence import digest
from guard.languages import cpp, cuda
from guard.listing import find_tool
from guard.packed import unpack
from tests.guard.languages.building import isolated
from tests.guard.languages.test_triton_ahead import HEAD, KERNEL, compiled, plan

SCALAR = """
extern "C" __global__ void k(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * 2.0f;
}
"""
WIDE = """
extern "C" __global__ void k(const float4* x, float4* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = x[i];
  v.x = __expf(v.x);
  y[i] = v;
}
"""
PRODUCT = """
#include <mma.h>
using namespace nvcuda::wmma;
extern "C" __global__ void k(const __half* a, const __half* b, float* c) {
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
}
"""
SPILLING = """
extern "C" __global__ void __launch_bounds__(1024, 2) k(const float* x, float* y) {
  __shared__ float s[1024];
  float a[64];
  for (int i = 0; i < 64; ++i) a[i] = x[threadIdx.x + i * 1024];
  s[threadIdx.x] = a[3];
  __syncthreads();
  for (int n = 0; n < 4; ++n)
    for (int i = 0; i < 64; ++i)
      a[i] = a[i] * a[(i * 7 + 3) % 64] + s[(threadIdx.x + n * i) & 1023];
  for (int i = 0; i < 64; ++i) y[threadIdx.x + i * 1024] = a[i];
}
"""
AT_1024 = LaunchPlan.model_validate(
    {"kernels": [{"kernel": "k", "grid": ["N"], "block": ["1024"], "arguments": []}]}
)


@pytest.mark.parametrize(
    ("source", "has", "has_not"),
    [
        pytest.param(SCALAR, ("loads 1 (1 x 32-bit)", "limited by"), ("128-bit",), id="scalar"),
        pytest.param(WIDE, ("loads 1 (1 x 128-bit)", "mufu 1"), ("32-bit",), id="wide"),
        pytest.param(PRODUCT, ("tensor core 2",), (), id="tensor cores"),
        pytest.param(
            SPILLING,
            ("32 registers", "4096 bytes of shared", "1 barriers", "limited by registers"),
            (" 0 bytes spilled", "local loads 0"),
            id="spilling",
        ),
    ],
)
def test_the_digest_tells_of_cuda_what_it_was_written_for(make, tmp_path, source, has, has_not):
    solution = make("cuda", source, launch_plan=AT_1024)
    report = cuda.LANGUAGE.compile(solution, "sm_90a", tmp_path).report
    assert report.ok, report.messages
    told = "\n".join(digest(report))
    assert [words for words in has if words not in told] == [], told
    assert [words for words in has_not if words in told] == [], told


def test_ptx_and_sass_of_a_cuda_kernel_can_be_read(make, tmp_path):
    solution = make("cuda", WIDE, launch_plan=AT_1024)
    report = cuda.LANGUAGE.compile(solution, "sm_90a", tmp_path).report
    read = {one.kind: "\n".join(unpack(one.packed)) for one in report.listings}
    assert "ld.global.v4.f32" in read["ptx"] or "ld.global.nc.v4.f32" in read["ptx"]
    assert "LDG.E.128" in read["sass"]


def test_without_a_disassembler_cuda_compiles_all_the_same(make, tmp_path, monkeypatch):
    monkeypatch.setattr("guard.listing.find_tool", lambda name: None)
    report = cuda.LANGUAGE.compile(make("cuda", WIDE, launch_plan=AT_1024), "", tmp_path).report
    assert report.ok
    told = digest(report)
    assert "occupancy" in told[1]
    assert told[-1].startswith("Neither nvdisasm nor cuobjdump is on this host")


def test_triton_compiled_ahead_is_told_of_by_variant(make, tmp_path):
    assert find_tool("cuobjdump") is not None
    constants = {"BLOCK": {"value": "N", "among": [64, 1024]}}
    report = compiled(
        make, tmp_path, written=plan(constants=constants, multiples_of_16=["size"])
    ).report
    assert [each.kernel for each in report.resources] == [
        "scaled [BLOCK=64]",
        "scaled [BLOCK=1024]",
    ]
    assert all(each.registers and each.threads == 128 for each in report.resources)
    assert {one.kind for one in report.listings} == {"ptx", "sass"}
    told = "\n".join(digest(report))
    assert "global loads 2 (2 x 128-bit)" in told
    assert "global loads 1 (1 x 32-bit)" in told


def test_triton_compiled_at_the_call_says_why_nothing_can_be_read(make, tmp_path):
    with isolated():
        from guard.languages.triton import LANGUAGE

        report = LANGUAGE.compile(make("triton", HEAD + KERNEL), "native", tmp_path).report
    assert digest(report)[0].startswith("Compiled at the first call")


MULTIPLIED = """
#include <cmath>
#include <cstdint>
extern "C" void run(const float* x, double scale, float* y, int64_t N) {
  for (int64_t i = 0; i < N; ++i) y[i] = x[i] * static_cast<float>(scale) + 1.0f;
}
"""
# A recurrence that no compiler can take apart into vectors.
ROOTED = """
#include <cmath>
#include <cstdint>
extern "C" void run(const float* x, double scale, float* y, int64_t N) {
  double last = scale;
  for (int64_t i = 0; i < N; ++i) y[i] = last = std::exp(last) * x[i];
}
"""


@pytest.mark.parametrize("objdump", [True, False], ids=["objdump", "without"])
@pytest.mark.parametrize(
    ("source", "options", "used", "unused"),
    [
        pytest.param(MULTIPLIED, ("-mavx2", "-mfma", "-mprefer-vector-width=256"), {"ymm", "fma"},
                     {"zmm", "scalar math calls"}, id="avx2"),
        pytest.param(MULTIPLIED, ("-mavx512f", "-mprefer-vector-width=512"), {"zmm"},
                     {"scalar math calls"}, id="avx512"),
        pytest.param(ROOTED, (), {"scalar math calls", "scalar float"}, {"zmm", "ymm"},
                     id="scalar"),
    ],
)  # fmt: skip
def test_the_digest_tells_how_wide_a_cpu_works(
    make, tmp_path, monkeypatch, source, options, used, unused, objdump
):
    if not objdump:
        which = shutil.which
        monkeypatch.setattr("shutil.which", lambda name: which(name) if name != "objdump" else None)
    report = cpp.LANGUAGE.compile(make("cpp", source, options=options), "native", tmp_path).report
    assert report.ok, report.messages
    (found,) = (each for each in report.instructions if each.kernel == "run")
    assert used <= set(found.classes)
    assert not unused & set(found.classes)
    assert [one.kind for one in report.listings] == ["asm"]
    assert ("objdump is not on this host" in digest(report)[-1]) is not objdump
