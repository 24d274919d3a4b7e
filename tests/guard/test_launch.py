import pytest

from guard.domain.errors import MalformedSolution
from guard.domain.solution import KernelLaunch, LaunchPlan
from guard.launch import lay_out
from guard.launch_check import check_plan
from guard.launch_values import Argument

AXES = {"M": 1000, "N": 4096}
SCALARS = {"eps": 1e-5, "k": 3, "flag": True}
TENSORS = ("x", "w", "y")


def plan(arguments=("x",), *, grid=("M",), block=("128",), shared="0", workspaces=None):
    launch = KernelLaunch(
        kernel="k", grid=grid, block=block, shared_bytes=shared, arguments=arguments
    )
    return LaunchPlan(kernels=(launch,), workspaces=workspaces or {})


GRIDS = [
    pytest.param(("M",), (1000, 1, 1), id="an axis"),
    pytest.param(("(M+127)//128", "N//64"), (8, 64, 1), id="ceiling division"),
    pytest.param(("2", "3", "4"), (2, 3, 4), id="numbers"),
    pytest.param(("N/4096*7",), (7, 1, 1), id="exact true division"),
    pytest.param(("M-1000",), (0, 1, 1), id="empty"),
]


@pytest.mark.parametrize(("grid", "expected"), GRIDS)
def test_grids_are_expressions_over_axes(grid, expected):
    (launch,) = lay_out(plan(grid=grid), TENSORS, SCALARS, AXES).launches
    assert launch.grid == expected
    assert launch.is_empty is (0 in expected)


ARGUMENTS = [
    pytest.param("x", Argument("pointer", "x"), id="input tensor"),
    pytest.param("y", Argument("pointer", "y"), id="output"),
    pytest.param("tmp", Argument("pointer", "tmp"), id="workspace"),
    pytest.param("eps", Argument("float32", 1e-5), id="bare scalar"),
    pytest.param("k", Argument("float32", 3.0), id="bare whole scalar"),
    pytest.param("float64:eps", Argument("float64", 1e-5), id="typed scalar"),
    pytest.param("float32:-1e-3", Argument("float32", -1e-3), id="number"),
    pytest.param("float32:N", Argument("float32", 4096.0), id="axis as float"),
    pytest.param("int32:M*N", Argument("int32", 4_096_000), id="expression"),
    pytest.param("int32:k+1", Argument("int32", 4), id="whole scalar in an expression"),
    pytest.param("int32:flag", Argument("int32", 1), id="bool scalar"),
    pytest.param("int64:M*2**40", Argument("int64", 1000 * 2**40), id="64 bits"),
    pytest.param("int32:-M", Argument("int32", -1000), id="negative"),
]


@pytest.mark.parametrize(("text", "expected"), ARGUMENTS)
def test_arguments_are_names_or_typed_numbers(text, expected):
    written = plan((text,), workspaces={"tmp": "4*N"})
    check_plan(written)
    (launch,) = lay_out(written, TENSORS, SCALARS, AXES).launches
    assert launch.arguments == (expected,)


def test_workspaces_have_their_size_in_bytes():
    assert lay_out(plan(workspaces={"tmp": "M*N*4"}), TENSORS, {}, AXES).workspaces == {
        "tmp": 1000 * 4096 * 4
    }


UNFIT = [
    pytest.param(plan(("z",)), "'z' names nothing here. Known: x, w, y", id="unknown name"),
    pytest.param(plan(("int32:K",)), "unknown name 'K'; known: M, N", id="unknown axis"),
    pytest.param(plan(("int32:M/3",)), "no integer", id="fraction"),
    pytest.param(plan(("int32:M*N*N",)), "does not lie in", id="too big for int32"),
    pytest.param(plan(("int32:eps",)), "unknown name 'eps'", id="fractional scalar as integer"),
    pytest.param(plan(("float32:q",)), "neither a number nor one of M, N", id="unknown scalar"),
    pytest.param(plan(grid=("M-2000",)), "-1000 does not lie in", id="negative grid"),
    pytest.param(plan(grid=("1", "70000")), "does not lie in 0 .. 65535", id="grid too high"),
    pytest.param(plan(grid=("1//(M-1000)",)), r"kernels\[0\].grid", id="division by zero"),
    pytest.param(plan(block=("1024", "2")), "2048 threads", id="block too large"),
    pytest.param(plan(block=("M-1000",)), "0 threads", id="empty block"),
    pytest.param(plan(shared="-1"), "shared_bytes", id="negative shared memory"),
    pytest.param(plan(workspaces={"x": "4"}), "an input or output has this name", id="name taken"),
    pytest.param(plan(workspaces={"t": "N**4"}), "workspaces.t", id="workspace too large"),
]


@pytest.mark.parametrize(("written", "message"), UNFIT)
def test_what_does_not_fit_the_workload_is_refused(written, message):
    check_plan(written)
    with pytest.raises(MalformedSolution, match=message):
        lay_out(written, TENSORS, SCALARS, AXES)


UNREADABLE = [
    pytest.param(plan(("x y",)), r"kernels\[0\].arguments", id="no name"),
    pytest.param(plan(("int8:3",)), "'int8' is no type", id="unknown type"),
    pytest.param(plan(("int32:len(x)",)), "use only names", id="call"),
    pytest.param(plan(("int32:",)), r"kernels\[0\].arguments", id="empty expression"),
    pytest.param(plan(("float32:1+x",)), "neither a number nor a name", id="float expression"),
    pytest.param(plan(grid=("M +",)), "grid", id="syntax"),
    pytest.param(plan(block=("~M",)), "block", id="operator"),
    pytest.param(plan(shared="1.5"), "shared_bytes", id="fraction"),
    pytest.param(plan(workspaces={"a-b": "1"}), "not an identifier", id="workspace name"),
    pytest.param(plan(workspaces={"a": "'1'"}), "workspaces.a", id="text"),
]


@pytest.mark.parametrize("written,message", UNREADABLE)
def test_syntax_is_checked_before_the_definition_is_known(written, message):
    with pytest.raises(MalformedSolution, match=message):
        check_plan(written)
