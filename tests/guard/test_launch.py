from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from guard.domain.errors import MalformedSolution
from guard.domain.solution import KernelLaunch, LaunchPlan, TensorMap, TritonOptions, Workspace
from guard.launch import lay_out
from guard.launch_check import check_cuda_plan, check_plan
from guard.launch_values import Argument

TILE = TensorMap(tensor="x", dtype="bfloat16", dims=("N", "M"), box=("64", "8"))
AXES = {"M": 1000, "N": 4096}
SCALARS = {"eps": 1e-5, "k": 3, "flag": True}
TENSORS = ("x", "w", "y")


def plan(
    arguments=("x",), *, grid=("M",), block=("128",), shared="0", workspaces=None, maps=None, **more
):
    launch = KernelLaunch(
        kernel="k", grid=grid, block=block, shared_bytes=shared, arguments=arguments, **more
    )
    return LaunchPlan(kernels=(launch,), workspaces=workspaces or {}, tensor_maps=maps or {})


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
    pytest.param("int32:min(M, N) if k == 3 else 0", Argument("int32", 1000), id="condition"),
    pytest.param("bfloat16*:x", Argument("pointer", "x", "bfloat16"), id="typed pointer"),
    pytest.param("uint8*:tmp", Argument("pointer", "tmp", "uint8"), id="typed workspace"),
    pytest.param("map", Argument("tensor_map", "map"), id="tensor map"),
]


@pytest.mark.parametrize(("text", "expected"), ARGUMENTS)
def test_arguments_are_names_or_typed_numbers(text, expected):
    written = plan((text,), workspaces={"tmp": "4*N"}, maps={"map": TILE})
    check_plan(written)
    (launch,) = lay_out(written, TENSORS, SCALARS, AXES).launches
    assert launch.arguments == (expected,)


def test_workspaces_have_their_size_in_bytes():
    assert lay_out(plan(workspaces={"tmp": "M*N*4"}), TENSORS, {}, AXES).workspaces == {
        "tmp": 1000 * 4096 * 4
    }


def test_zeroed_workspaces_are_told_apart():
    zeroed = Workspace(size_bytes="N", zero=True)
    written = plan(workspaces={"a": "4", "b": zeroed, "c": Workspace(size_bytes="M")})
    layout = lay_out(written, TENSORS, {}, AXES)
    assert layout.workspaces == {"a": 4, "b": 4096, "c": 1000}
    assert layout.zeroed == ("b",)


def test_only_what_its_condition_allows_is_launched_or_even_evaluated():
    def launch(name, when, grid="M"):
        return KernelLaunch(kernel=name, when=when, grid=(grid,), block=("1",), arguments=("map",))

    broken = TensorMap(tensor="x", dtype="float32", dims=("0",), box=("8",))
    written = LaunchPlan(
        kernels=(launch("a", "N > 5000", "1 // 0"), launch("b", "M < N < 5000"), launch("c", "M")),
        tensor_maps={"map": TILE, "unused": broken},
    )
    layout = lay_out(written, TENSORS, {}, AXES)
    assert [(each.kernel, each.index) for each in layout.launches] == [("b", 1), ("c", 2)]
    assert list(layout.tensor_maps) == ["map"]


def test_a_cluster_is_an_expression_and_divides_the_grid():
    written = plan(grid=("M", "2"), cluster=("4 if M > 100 else 2", "2"))
    (launch,) = lay_out(written, TENSORS, {}, AXES).launches
    assert launch.cluster == (4, 2, 1)
    (without,) = lay_out(plan(cooperative=True), TENSORS, {}, AXES).launches
    assert without.cluster is None
    assert without.cooperative


@given(
    grid=st.tuples(*[st.integers(1, 64)] * 3),
    cluster=st.tuples(*[st.integers(1, 5)] * 3),
)
def test_a_cluster_is_laid_out_if_and_only_if_cuda_would_take_it(grid, cluster):
    written = plan(grid=tuple(map(str, grid)), cluster=tuple(map(str, cluster)))
    divides = all(g % c == 0 for g, c in zip(grid, cluster, strict=True))
    if divides and prod(cluster) <= 16:
        assert lay_out(written, TENSORS, {}, AXES).launches[0].cluster == cluster
    else:
        with pytest.raises(MalformedSolution, match=r"kernels\[0\]\.cluster"):
            lay_out(written, TENSORS, {}, AXES)


UNFIT = [
    pytest.param(plan(cluster=("3",)), "x is 1000, which is no multiple", id="grid and cluster"),
    pytest.param(plan(cluster=("20",)), "20 does not lie in", id="wide cluster"),
    pytest.param(plan(when="K > 1"), r"kernels\[0\].when.*unknown name 'K'", id="condition"),
    pytest.param(plan(("bfloat16*:eps",)), "'eps' is no tensor here", id="pointer to a scalar"),
    pytest.param(
        plan(("m",), maps={"m": TensorMap(tensor="q", dtype="int32", dims=("8",), box=("8",))}),
        r"tensor_maps.m.tensor.*'q' is no tensor",
        id="map of nothing",
    ),
    pytest.param(
        plan(maps={"y": TensorMap(tensor="x", dtype="int32", dims=("8",), box=("8",))}),
        r"tensor_maps.y.*has this name",
        id="map named like an output",
    ),
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
    pytest.param(plan(("quad*:x",)), "'quad' is nothing to point to", id="pointed type"),
    pytest.param(plan(("int8*:x y",)), "'x y' is no name", id="pointed name"),
    pytest.param(plan(cluster=("M[0]",)), "cluster", id="cluster syntax"),
    pytest.param(plan(when="M in N"), "when", id="condition syntax"),
    pytest.param(
        plan(workspaces={"a": "1"}, maps={"a": TILE}), "a workspace has this name", id="one name"
    ),
    pytest.param(plan(maps={"1": TILE}), "not an identifier", id="map name"),
    pytest.param(
        plan(maps={"m": TILE.model_copy(update={"dims": ("f(N)",)})}), "maps.m.dims", id="map size"
    ),
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


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (plan(block=None), r"kernels\[0\].block.*needs it"),
        (plan(triton=TritonOptions()), r"kernels\[0\].triton.*only language 'triton'"),
    ],
)
def test_a_cuda_plan_is_no_triton_plan(written, message):
    with pytest.raises(MalformedSolution, match=message):
        check_cuda_plan(written)


LEAVES = st.one_of(st.integers(-9, 9), st.text(max_size=9), st.booleans(), st.none())
PLANS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*KernelLaunch.model_fields, *TensorMap.model_fields]), inner
        )
    ),
    max_leaves=8,
)


@given(
    launch=st.dictionaries(st.sampled_from([*KernelLaunch.model_fields]), PLANS),
    workspaces=PLANS,
    maps=st.dictionaries(st.sampled_from("ab"), PLANS, max_size=2),
)
def test_no_written_plan_does_more_than_be_laid_out_or_refused(launch, workspaces, maps):
    good = {"kernel": "k", "grid": ["M"], "block": ["1"], "arguments": ["x"]}
    try:
        written = LaunchPlan.model_validate(
            {"kernels": [good | launch], "workspaces": workspaces or {}, "tensor_maps": maps}
        )
        check_cuda_plan(written)
        layout = lay_out(written, TENSORS, SCALARS, AXES)
    except (ValidationError, MalformedSolution):
        return
    assert all(1 <= each.threads <= 1024 for each in layout.launches)


def test_a_kernel_has_a_bounded_number_of_constants():
    many = {f"C{number}": "1" for number in range(65)}
    with pytest.raises(ValidationError, match="at most 64"):
        TritonOptions(constants=many)
