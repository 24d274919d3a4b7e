"""`guard.referee.work`: amounts worked out by hand, and what no honest kernel can do without."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.bound import bound
from guard.domain.bound import Ceilings, Work
from guard.domain.problem import Definition, Workload
from guard.formats.sol_execbench import FORMAT
from guard.referee.reference import load_reference
from guard.referee.work import count

PROBLEMS = Path(__file__).resolve().parents[3] / "examples" / "problems"
MASKED = {"attention_causal"}  # half of the arithmetic may be spared, which the note says
HEAD = "import torch\nimport torch.nn.functional as F\n\n\n"


def worked(body: str, inputs: dict[str, tuple], output: tuple, **kinds: dict) -> Work:
    """Count a reference; a tensor is ``(dtype, sizes...)``, a number its dtype alone."""
    definition = Definition.model_validate(
        {
            "name": "hand",
            "axes": {},
            "inputs": {name: spec(*given) for name, given in inputs.items()},
            "outputs": {"out": spec(*output)},
            "reference": f"{HEAD}def run({', '.join(inputs)}):\n    {body}\n",
        }
    )
    workload = Workload.model_validate(
        {
            "uuid": "w",
            "axes": {},
            "inputs": {name: kinds.get(name, {"type": "random"}) for name in inputs},
        }
    )
    return count(load_reference(definition), workload)


def spec(dtype: str, *sizes: int | None) -> dict:
    return {"dtype": dtype, "shape": None if sizes == (None,) else [str(n) for n in sizes]}


BF, F32, I64 = "bfloat16", "float32", "int64"
QKV = {name: (BF, 2, 4, 128, 64) for name in "qkv"}
ATTENTION = 2 * 2 * (2 * 4 * 128 * 128 * 64)

MATRIX = [
    # reference, inputs, output, flops by path
    pytest.param(
        "return a @ b", {"a": (BF, 8, 16), "b": (BF, 16, 32)}, (BF, 8, 32),
        {BF: 2 * 8 * 16 * 32}, id="product",
    ),
    pytest.param(
        "return F.linear(a, w, b)", {"a": (F32, 2, 4, 16), "w": (F32, 32, 16), "b": (F32, 32)},
        (F32, 2, 4, 32), {F32: 2 * 8 * 16 * 32}, id="linear layer with bias",
    ),
    pytest.param(
        "return (a.float() @ b.float()).bfloat16()", {"a": (BF, 8, 16), "b": (BF, 16, 32)},
        (BF, 8, 32), {BF: 2 * 8 * 16 * 32}, id="widened inputs take the narrow path",
    ),
    pytest.param(
        "return torch.einsum('bij,bjk->bik', a, b)", {"a": (F32, 3, 4, 5), "b": (F32, 3, 5, 6)},
        (F32, 3, 4, 6), {F32: 2 * 3 * 4 * 5 * 6}, id="einsum",
    ),
    pytest.param(
        "return F.scaled_dot_product_attention(q, k, v)", QKV, (BF, 2, 4, 128, 64),
        {BF: ATTENTION}, id="attention",
    ),
    pytest.param(
        "return F.scaled_dot_product_attention(q, k, v, is_causal=True)", QKV,
        (BF, 2, 4, 128, 64), {BF: ATTENTION / 2}, id="causal attention counts half",
    ),
    pytest.param(
        "s = q @ k.transpose(-1, -2)\n    m = torch.ones(128, 128, dtype=torch.bool).tril()\n"
        "    return s.masked_fill(~m, float('-inf')).softmax(-1) @ v", QKV,
        (BF, 2, 4, 128, 64), {BF: ATTENTION / 2}, id="a causal mask written out",
    ),
    pytest.param(
        "return (q @ k.transpose(-1, -2) + mask).softmax(-1) @ v",
        {**QKV, "mask": (BF, 128, 128)}, (BF, 2, 4, 128, 64), {BF: ATTENTION / 2},
        id="a mask that is given",
    ),
    pytest.param(
        "return F.conv2d(x, w)", {"x": (F32, 1, 3, 8, 8), "w": (F32, 4, 3, 3, 3)},
        (F32, 1, 4, 6, 6), {F32: 2 * 4 * 36 * 27}, id="convolution",
    ),
    pytest.param(
        "c = a @ b\n    return a + 1", {"a": (F32, 8, 8), "b": (F32, 8, 8)}, (F32, 8, 8), {},
        id="what no output depends on",
    ),
    pytest.param("return x * 2", {"x": (F32, 8)}, (F32, 8), {}, id="none"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "inputs", "output", "flops"), MATRIX)
def test_matrix_work_is_counted_by_the_path_it_may_take(body, inputs, output, flops):
    assert worked(body, inputs, output).matrix_flops == flops


READ = [
    # reference, inputs, output, bytes read
    pytest.param("return x + x * y", {"x": (F32, 8), "y": (F32, 8)}, (F32, 8), 64, id="each once"),
    pytest.param("return x + 1", {"x": (F32, 8), "y": (F32, 8)}, (F32, 8), 32, id="never read"),
    pytest.param(
        "z = y.sum()\n    return x + 1", {"x": (F32, 8), "y": (F32, 8)}, (F32, 8), 32,
        id="read for nothing",
    ),
    pytest.param("return x.t().reshape(-1)", {"x": (F32, 4, 2)}, (F32, 8), 32, id="views"),
    pytest.param("return x.t()", {"x": (F32, 4, 2)}, (F32, 2, 4), 32, id="a view returned"),
    pytest.param("return x[:, :2] * 2", {"x": (F32, 4, 8)}, (F32, 4, 2), 32, id="a slice"),
    pytest.param(
        "a, b = x.chunk(2, -1)\n    return torch.cat([b * 2, a], -1)", {"x": (F32, 4, 8)},
        (F32, 4, 8), 128, id="both chunks",
    ),
    pytest.param(
        "return x[:, :4] + x[:, 2:6]", {"x": (F32, 4, 8)}, (F32, 4, 4), 96, id="slices overlap"
    ),
    pytest.param(
        "b = x[:2].view(torch.int8) + 1\n    return x[2:] + b.float().sum()", {"x": (F32, 4, 8)},
        (F32, 2, 8), 64, id="seen as bytes: the larger part counts",
    ),
    pytest.param(
        "return x.expand(8, 4) + y", {"x": (F32, 1, 4), "y": (F32, 8, 4)}, (F32, 8, 4), 144,
        id="spread out, read once",
    ),
    pytest.param(
        "y = x.clone()\n    y.add_(1)\n    y[0] = 0\n    return y", {"x": (F32, 4, 2)},
        (F32, 4, 2), 32, id="in place",
    ),
    pytest.param(
        "return F.embedding(i, t)", {"i": (I64, 3), "t": (F32, 100, 8)}, (F32, 3, 8),
        3 * 8 + 3 * 32, id="rows of a table",
    ),
    pytest.param(
        "return t[i]", {"i": (I64, 3), "t": (F32, 2, 8)}, (F32, 3, 8), 3 * 8 + 64,
        id="never more than the table",
    ),
    pytest.param(
        "return t.index_select(0, i) * 2", {"i": (I64, 3), "t": (F32, 100, 8)}, (F32, 3, 8),
        3 * 8 + 3 * 32, id="index_select",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("body", "inputs", "output", "read_bytes"), READ)
def test_inputs_count_once_and_as_far_as_they_are_read(body, inputs, output, read_bytes):
    found = worked(body, inputs, output)
    assert found.read_bytes == read_bytes
    assert found.written_bytes > 0


ARITHMETIC = [
    # reference, inputs, output, simple operations, special functions
    pytest.param("return x * 2 + 1", {"x": (F32, 8)}, (F32, 8), 16, 0, id="two a number"),
    pytest.param("return x * 2", {"x": (BF, 8)}, (BF, 8), 4, 0, id="16 bits share a lane"),
    pytest.param("return x.exp()", {"x": (F32, 8)}, (F32, 8), 0, 8, id="exponentials"),
    pytest.param("return x.sum(-1)", {"x": (F32, 4, 8)}, (F32, 4), 32, 0, id="a reduction"),
    pytest.param("return x.softmax(-1)", {"x": (F32, 4, 8)}, (F32, 4, 8), 96, 32, id="softmax"),
    pytest.param(
        "return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + e)",
        {"x": (F32, 4, 8), "e": (F32, None)}, (F32, 4, 8), 32 + 32 + 4 + 32, 4, id="RMS norm",
    ),
    pytest.param("return F.layer_norm(x, (8,))", {"x": (F32, 4, 8)}, (F32, 4, 8), 96, 0, id="norm"),
    pytest.param("return x.bfloat16()", {"x": (F32, 8)}, (BF, 8), 0, 0, id="casts are free"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "inputs", "output", "simple", "special"), ARITHMETIC)
def test_arithmetic_is_counted_by_unit(body, inputs, output, simple, special):
    found = worked(body, inputs, output)
    assert (found.simple_ops, found.special_ops) == (simple, special)


TWO = {"a": (F32, 8, 16), "b": (F32, 16, 32)}
ROWS = {"x": (F32, 4, 8), "g": (F32, 4, 1)}
NEEDS = [
    # reference, inputs, output, whether all bytes, whether all products are needed
    pytest.param("return a @ b", TWO, (F32, 8, 32), True, True, id="a product"),
    pytest.param("return (a @ b) * 2 + 1", TWO, (F32, 8, 32), True, True, id="and scaled"),
    pytest.param("return (a @ b).sum(-1)", TWO, (F32, 8), True, False, id="summed: cheaper"),
    pytest.param("return (a @ b)[:, :4]", TWO, (F32, 8, 4), True, False, id="a part of it"),
    pytest.param("return (a @ b).tril()", TWO, (F32, 8, 32), False, False, id="half of it"),
    pytest.param("return a @ a", {"a": (F32, 8, 8)}, (F32, 8, 8), True, False, id="a square"),
    pytest.param(
        "return a @ b @ b", {"a": (F32, 8, 8), "b": (F32, 8, 8)}, (F32, 8, 8), True, False,
        id="two products in any order",
    ),
    pytest.param(
        "return torch.diag(g) @ x", {"g": (F32, 4), "x": (F32, 4, 8)}, (F32, 4, 8), False, False,
        id="a diagonal matrix",
    ),
    pytest.param("return x.softmax(-1)", {"x": (F32, 4, 8)}, (F32, 4, 8), True, False, id="rows"),
    pytest.param("return x * g", ROWS, (F32, 4, 8), True, False, id="rows scaled"),
    pytest.param("return x * g.relu()", ROWS, (F32, 4, 8), False, False, id="rows switched off"),
    pytest.param("return (x * g).relu()", ROWS, (F32, 4, 8), True, False, id="switched off later"),
    pytest.param("return x * (g > 0)", ROWS, (F32, 4, 8), False, False, id="rows compared away"),
    pytest.param(
        "return torch.where(g > 0, x, 0.0)", ROWS, (F32, 4, 8), False, False, id="rows chosen"
    ),
    pytest.param(
        "return F.embedding(i, t)", {"i": (I64, 3), "t": (F32, 100, 8)}, (F32, 3, 8), False, False,
        id="indices may repeat",
    ),
    pytest.param(
        "return x * mask", {"x": (F32, 4, 8), "mask": (F32, 4, 1)}, (F32, 4, 8), False, False,
        id="a mask by name",
    ),
    pytest.param(
        "return F.scaled_dot_product_attention(q, k, v)", QKV, (BF, 2, 4, 128, 64), False, False,
        id="attention: weights may vanish",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("body", "inputs", "output", "needs_bytes", "needs_flops"), NEEDS)
def test_only_what_is_beyond_dispute_may_decide(body, inputs, output, needs_bytes, needs_flops):
    found = worked(body, inputs, output)
    assert (found.needs_bytes, found.needs_flops) == (needs_bytes, needs_flops)


def test_stored_inputs_are_known_beforehand_and_prove_nothing():
    stored = {"type": "safetensors", "path": "w.safetensors", "tensor_key": "b"}
    found = worked("return a @ b", TWO, (F32, 8, 32), b=stored)
    assert (found.needs_bytes, found.needs_flops) == (False, False)


DATA = [
    # inputs, bytes read, part of the note
    pytest.param({"x": (F32, 8)}, 32, "left out: all arithmetic", id="inputs count"),
    pytest.param({"x": (F32, 8), "i": (I64, 2)}, 0, "left out: the inputs and", id="an index"),
]


@pytest.mark.parametrize(("inputs", "read_bytes", "note"), DATA)
def test_a_reference_that_needs_data_gets_bytes_alone(inputs, read_bytes, note):
    found = worked("return x * float(x.sum())", inputs, (F32, 8))
    assert (found.read_bytes, found.written_bytes, found.needs_bytes) == (read_bytes, 32, False)
    assert note in found.note


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 40))
def test_a_larger_product_never_has_less_work(m, n, k):
    def product(rows):
        return worked("return a @ b", {"a": (F32, rows, k), "b": (F32, k, n)}, (F32, rows, n))

    small, large = product(m), product(m + 1)
    assert small.matrix_flops[F32] < large.matrix_flops[F32]
    assert small.read_bytes < large.read_bytes
    assert small.written_bytes < large.written_bytes


CEILINGS = Ceilings(
    identity={},
    bytes_per_s={"copy": 1e12},
    matrix_flops_per_s={"bfloat16": 1e14},
    simple_ops_per_s=1e13,
    special_ops_per_s=1e12,
)


@pytest.mark.parametrize("name", sorted(path.name for path in PROBLEMS.iterdir()))
def test_every_bundled_problem_has_a_finite_bound_on_every_workload(name):
    problem = FORMAT.read(PROBLEMS / name)
    for workload in (*problem.workloads, *problem.cpu_workloads):
        found = bound(count(load_reference(problem.definition), workload), CEILINGS)
        assert found is not None
        assert ("mask" in found.note) == (name in MASKED), found.note
        assert name in MASKED or not found.note
