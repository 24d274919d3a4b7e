"""`guard.triton_plan`: which kernels are compiled ahead, and which one a workload takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from guard.domain.errors import MalformedSolution
from guard.domain.solution import KernelLaunch, LaunchPlan, TritonOptions
from guard.launch_check import check_triton_plan
from guard.launch_values import Argument
from guard.triton_plan import Built, Record, chosen_constants, lay_out, variants

CHOICE = {"value": "next_power_of_2(N)", "among": (1024, 2048)}
CONSTANTS = {"BLOCK": CHOICE, "HALF": "BLOCK // 2", "FLAG": {"value": "M > 1", "among": (0, 1)}}


def plan(constants=None, arguments=("float32*:x", "int32:N"), **more):
    options = {"constants": CONSTANTS if constants is None else constants}
    options |= {key: more.pop(key) for key in list(more) if key in TritonOptions.model_fields}
    launch = KernelLaunch.model_validate(
        {"kernel": "k", "grid": ("M", "2"), "arguments": arguments, "triton": options} | more
    )
    return LaunchPlan(kernels=(launch,))


def built(**changed):
    given = {
        "index": 0, "constants": {}, "entry": "k_0d1d", "parameters": ("x", "n"),
        "warps": 8, "ctas": 1, "shared_bytes": 512, "scratch_bytes": (0, 0),
    }  # fmt: skip
    return Built.model_validate(given | changed)


def laid_out(written, *kernels, size=3000):
    return lay_out(written, Record(kernels=kernels), ("x",), {}, {"M": 5, "N": size})


def test_every_combination_of_choices_is_compiled():
    options = plan().kernels[0].triton
    assert list(variants("f", options)) == [
        {"BLOCK": block, "HALF": block // 2, "FLAG": flag}
        for block in (1024, 2048)
        for flag in (0, 1)
    ]


@given(size=st.integers(1, 2048), rows=st.integers(1, 3))
def test_what_a_workload_takes_was_compiled(size, rows):
    options = plan().kernels[0].triton
    axes = {"N": max(size, 513), "M": rows}
    assert chosen_constants("f", options, axes) in list(variants("f", options))


def test_a_value_that_was_not_compiled_for_is_named():
    options = plan().kernels[0].triton
    with pytest.raises(MalformedSolution, match=r"f.constants.BLOCK.*4096.*not among 1024, 2048"):
        chosen_constants("f", options, {"N": 3000, "M": 1})


def test_the_kernel_compiled_for_the_constants_is_launched():
    small, large = built(constants={"BLOCK": 1024}), built(constants={"BLOCK": 2048}, entry="big")
    layout = laid_out(plan({"BLOCK": CHOICE}), small, large, size=2000)
    (launch,) = layout.launches
    assert (launch.kernel, launch.cubin) == ("big", "kernel_1.cubin")
    assert launch.block == (256, 1, 1)
    assert launch.shared_bytes == 512
    # The two hidden pointers that the compiler appended, to nothing.
    assert launch.arguments == (
        Argument("pointer", "x", "float32"), Argument("int32", 2000), Argument("null"),
        Argument("null"),
    )  # fmt: skip
    assert layout.workspaces == {}


@pytest.mark.parametrize("hidden", [(), (0,), (0, 64), (128, 0), (1, 2, 3)])
def test_hidden_pointers_are_as_many_as_the_compiler_says(hidden):
    layout = laid_out(plan({}), built(scratch_bytes=hidden, ctas=2))
    (launch,) = layout.launches
    kinds = [argument.kind for argument in launch.arguments[2:]]
    assert kinds == ["pointer" if size else "null" for size in hidden]
    # A place for every block: programs times blocks of a cluster.
    assert list(layout.workspaces.values()) == [size * 5 * 2 * 2 for size in hidden if size]


def test_blocks_of_a_program_are_a_cluster():
    (launch,) = laid_out(plan({}), built(ctas=4)).launches
    assert launch.cluster == (4, 1, 1)
    assert launch.grid == (20, 2, 1)


def test_a_builder_that_leaves_a_kernel_out_fails_its_own_candidate():
    with pytest.raises(MalformedSolution, match="nothing was compiled for"):
        laid_out(plan({}), built(index=1))


def test_a_promised_multiple_is_checked():
    written = plan({}, multiples_of_16=("n",))
    assert laid_out(written, built(), size=32).launches
    with pytest.raises(MalformedSolution, match="'n' is 3000 here, which is no multiple of 16"):
        laid_out(written, built())


@pytest.mark.parametrize(
    "lie",
    [
        {"warps": 0}, {"warps": 10**9}, {"ctas": 17}, {"shared_bytes": -1}, {"entry": ""},
        {"scratch_bytes": (2**40,)}, {"scratch_bytes": (1,) * 5}, {"index": 64}, {"code": "x"},
    ],
    ids=str,
)  # fmt: skip
def test_a_record_is_bounded(lie):
    with pytest.raises(ValidationError):
        built(**lie)


def test_scratch_memory_is_bounded():
    with pytest.raises(MalformedSolution, match=r"kernels\[0\].*does not lie in"):
        laid_out(plan({}, grid=("2**31 - 1",)), built(scratch_bytes=(2**20,)))


REFUSED = [
    pytest.param({"block": ("128",)}, r"kernels\[0\].block", id="block"),
    pytest.param({"shared_bytes": "1"}, r"kernels\[0\].shared_bytes", id="shared memory"),
    pytest.param({"cluster": ("2",)}, r"kernels\[0\].cluster", id="cluster"),
    pytest.param({"cooperative": True}, r"kernels\[0\].cooperative", id="cooperative"),
    pytest.param({"arguments": ("x",)}, r"write such as bfloat16\*:x", id="untyped pointer"),
    pytest.param({"constants": {"B": "N"}}, "'N' is no constant written before", id="axis"),
    pytest.param({"constants": {"B": "C", "C": "1"}}, "'C' is no constant", id="later constant"),
    pytest.param({"constants": {"b c": "1"}}, "not an identifier", id="name"),
    pytest.param({"num_warps": "N"}, r"triton.num_warps.*'N' is no constant", id="warps by axis"),
    pytest.param(
        {"constants": {"B": {"value": "N", "among": (1, 1)}}}, "appears twice", id="repetition"
    ),
    pytest.param(
        {"constants": {c: {"value": "N", "among": tuple(range(9))} for c in "AB"}},
        "more than 64 kernels",
        id="too many",
    ),
]


@pytest.mark.parametrize(("changed", "message"), REFUSED)
def test_what_the_compiler_decides_or_cannot_know_is_refused(changed, message):
    check_triton_plan(plan())
    with pytest.raises(MalformedSolution, match=message):
        check_triton_plan(plan(**changed))
