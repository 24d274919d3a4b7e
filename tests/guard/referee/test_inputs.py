"""`guard.referee.inputs`: fresh values, in place, as the format describes."""

import math

import pytest
import torch

from guard.domain.problem import Definition, Workload
from guard.referee.inputs import InputClass, classes, fill
from guard.referee.reference import Reference, ReferenceFailed, torch_dtype

OTHERS = [c for c in InputClass if c is not InputClass.LISTED]


def definition(inputs, *, body="return 0", extra="", **changed):
    source = f"import torch\n\ndef run({', '.join(inputs)}):\n    {body}\n\n{extra}"
    raw = {
        "name": "t",
        "axes": {"R": {"type": "var"}, "C": {"type": "var"}},
        "inputs": inputs,
        "outputs": {"out": {"shape": [], "dtype": "float32"}},
        "reference": source,
        **changed,
    }
    return Definition.model_validate(raw)


def one(name="x", dtype="float32", shape=("R", "C"), **changed):
    return definition({name: {"shape": shape and list(shape), "dtype": dtype}}, **changed)


def draw(spec, sources=None, *, rows=64, columns=64, seed=1, **options):
    sources = sources or {name: {"type": "random"} for name in spec.inputs}
    sizes = {"R": rows, "C": columns}
    workload = Workload.model_validate({"uuid": "w", "axes": sizes, "inputs": sources})
    tensors = {
        name: torch.empty([sizes[d] for d in one.shape], dtype=torch_dtype(one.dtype))
        for name, one in spec.inputs.items()
        if one.shape is not None
    }
    generator = torch.Generator().manual_seed(seed)
    arguments = fill(spec, workload, sizes, tensors, generator=generator, **options)
    for name, argument in zip(spec.inputs, arguments, strict=True):
        assert name not in tensors or argument is tensors[name]
    return arguments


def test_equal_seeds_give_equal_inputs_and_others_differ():
    spec = one()
    assert torch.equal(draw(spec)[0], draw(spec)[0])
    assert not torch.equal(draw(spec)[0], draw(spec, seed=2)[0])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_plain_floats_are_standard_normal(dtype):
    (x,) = draw(one(dtype=dtype))
    assert x.double().mean().abs() < 0.1
    assert x.double().std() == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        ("float8_e4m3fn", -2, 2),
        ("float8_e5m2", -2, 2),
        ("int64", -1024, 1023),
        ("int32", -1024, 1023),
        ("int16", -1024, 1023),
        ("int8", -128, 127),
        ("bool", 0, 1),
    ],
)
def test_other_types_keep_to_their_range(dtype, low, high):
    (x,) = draw(one(dtype=dtype), rows=256, columns=256)
    values = x.double()
    assert (values.amin(), values.amax()) == (low, high)


def test_packed_4_bit_floats_take_every_code():
    (x,) = draw(one(dtype="float4_e2m1fn_x2"), rows=256)
    assert len(x.view(torch.uint8).unique()) == 256


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        pytest.param("norm_weight", lambda t: (t == 1).all(), id="norm weight"),
        pytest.param("norm_bias", lambda t: (t == 0).all(), id="norm bias"),
        pytest.param("up_proj", lambda t: abs(t.std() * 8 - 1) < 0.1, id="weight"),
        pytest.param("x_mask", lambda t: set(t.unique().tolist()) == {0, 1}, id="mask"),
        pytest.param("cos", lambda t: t.abs().amax() <= 1 and t.amin() < 0, id="cosine"),
        pytest.param("sin", lambda t: t.abs().amax() <= 1 and t.amin() < 0, id="sine"),
        pytest.param("rstd", lambda t: t.amin() >= 0.1, id="positive"),
        pytest.param("A", lambda t: t.amax() < 0 and t.amin() >= -1, id="decay"),
        pytest.param("A_log", lambda t: t.amax() <= -1 and t.amin() >= -5, id="log decay"),
        pytest.param("g", lambda t: t.amax() <= 0 and t.amin() >= -5, id="gate"),
        pytest.param("A_cumsum", lambda t: (t.diff() <= 0).all(), id="cumulative"),
        pytest.param(
            "attn_weights", lambda t: (t.sum(-1) - 1).abs().amax() < 1e-5, id="probabilities"
        ),
    ],
)
def test_names_decide_the_values(name, holds):
    (drawn,) = draw(one(name))
    assert holds(drawn)


def test_a_causal_mask_forbids_what_comes_later():
    (mask,) = draw(one("causal_mask", dtype="bfloat16"), rows=5, columns=5)
    later = torch.ones(5, 5).triu(1).bool()
    assert (mask[later] == torch.finfo(torch.bfloat16).min).all()
    assert (mask[~later] == 0).all()


def test_probs_of_a_sampling_problem_are_probabilities():
    (probs,) = draw(one("probs", op_type="sampling"))
    assert (probs.sum(-1) - 1).abs().amax() < 1e-5
    (plain,) = draw(one("probs", op_type="other"))
    assert plain.amin() < 0


def test_scalars_become_python_numbers_of_their_type():
    inputs = {
        "eps": {"shape": None, "dtype": "float32"},
        "k": {"shape": None, "dtype": "int32"},
        "flag": {"shape": None, "dtype": "bool"},
        "zero_d": {"shape": [], "dtype": "float32"},
    }
    sources = {
        "eps": {"type": "scalar", "value": 1},
        "k": {"type": "scalar", "value": 7.0},
        "flag": {"type": "scalar", "value": True},
        "zero_d": {"type": "random"},
    }
    eps, k, flag, zero_d = draw(definition(inputs), sources)
    assert [type(v) for v in (eps, k, flag)] == [float, int, bool]
    assert (eps, k, flag) == (1.0, 7, True)
    assert zero_d.shape == ()
    drawn = draw(definition(inputs))
    assert [type(v) for v in drawn[:3]] == [float, int, bool]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("input_class", OTHERS)
def test_every_class_alters_plain_inputs_and_keeps_them_finite(input_class, dtype):
    (x,) = draw(one(dtype=dtype), input_class=input_class)
    assert not torch.equal(x, draw(one(dtype=dtype))[0])
    assert x.isfinite().all()


def test_classes_are_what_they_are_called():
    spec = one()
    (shifted,) = draw(spec, input_class=InputClass.SHIFTED)
    assert shifted.mean(1).std() > 4
    (wide,) = draw(spec, input_class=InputClass.WIDE)
    spread = wide.std(1)
    assert spread.amax() / spread.amin() > 1000
    (sparse,) = draw(spec, input_class=InputClass.SPARSE)
    assert (sparse == 0).double().mean() > 0.85
    assert (sparse == 0).all(1).any()


KEPT = ["up_proj", "x_mask", "cos", "rstd", "A_log", "attn_weights"]


@pytest.mark.parametrize("input_class", OTHERS)
@pytest.mark.parametrize("name", KEPT)
def test_classes_leave_alone_what_would_lose_its_meaning(name, input_class):
    assert torch.equal(draw(one(name), input_class=input_class)[0], draw(one(name))[0])


@pytest.mark.parametrize("input_class", OTHERS)
def test_norm_weights_are_not_all_ones_outside_the_listed_class(input_class):
    (weight,) = draw(one("norm_weight"), input_class=input_class)
    assert weight.std() > 0.1
    assert weight.mean() == pytest.approx(1.0, abs=0.1)


NEAR = tuple(c for c in InputClass if c is not InputClass.FAR)
AVERAGE = "def average(x):\n    return x.mean()\n"


@pytest.mark.parametrize(
    ("spec", "sources", "expected"),
    [
        pytest.param(one(), None, NEAR, id="plain"),
        pytest.param(one("norm_weight"), None, NEAR, id="norm weight"),
        pytest.param(one(extra=AVERAGE), None, tuple(InputClass), id="a reference with a mean"),
        pytest.param(one("up_proj"), None, (InputClass.LISTED,), id="weight alone"),
        pytest.param(one(dtype="int32"), None, (InputClass.LISTED,), id="integers"),
        pytest.param(one(shape=None), None, (InputClass.LISTED,), id="random scalar"),
        pytest.param(one(), {"x": {"type": "custom"}}, (InputClass.LISTED,), id="custom"),
    ],
)
def test_only_workloads_with_something_to_alter_have_classes(spec, sources, expected):
    raw = {"uuid": "w", "axes": {"R": 4, "C": 4}, "inputs": sources or {}}
    raw["inputs"] = sources or {name: {"type": "random"} for name in spec.inputs}
    assert classes(spec, Workload.model_validate(raw)) == expected


GENERATOR = """
def draw(axes, device):
    x = torch.rand(axes["R"], axes["C"], device=device) + 5
    return {"n": 3, "x": x}
"""
CUSTOM_INPUTS = {
    "x": {"shape": ["R", "C"], "dtype": "float32"},
    "n": {"shape": None, "dtype": "int32"},
}
ALL_CUSTOM = {"x": {"type": "custom"}, "n": {"type": "custom"}}


def custom_definition(extra):
    return definition(CUSTOM_INPUTS, extra=extra, custom_inputs_entrypoint="draw")


def test_a_custom_generator_is_seeded_and_leaves_torchs_state_alone():
    spec = custom_definition(GENERATOR)
    custom = Reference(spec).custom
    before = torch.random.get_rng_state()
    first, n = draw(spec, ALL_CUSTOM, custom=custom)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert (n, type(n)) == (3, int)
    assert first.amin() >= 5
    assert torch.equal(first, draw(spec, ALL_CUSTOM, custom=custom)[0])
    assert not torch.equal(first, draw(spec, ALL_CUSTOM, custom=custom, seed=9)[0])


BAD = [
    pytest.param("def draw(axes, device): return {'x': 1}", "no tensor for 'x'", id="no tensor"),
    pytest.param("def draw(axes, device): return {'n': 1}", "no 'x'", id="missing"),
    pytest.param("def draw(axes, device): return None", "no 'x'", id="nothing"),
    pytest.param("def draw(axes, device): return {'x': torch.ones(2)}", "not torch", id="shape"),
    pytest.param("def draw(axes, device): return axes['Z']", "KeyError", id="raises"),
    pytest.param(
        "def draw(axes, device): return {'x': torch.ones(64, 64), 'n': 'many'}",
        "no number for 'n'",
        id="no number",
    ),
]


@pytest.mark.parametrize(("extra", "message"), BAD)
def test_an_unusable_generator_is_the_references_failure(extra, message):
    spec = custom_definition(extra)
    with pytest.raises(ReferenceFailed, match=message):
        draw(spec, ALL_CUSTOM, custom=Reference(spec).custom)


def test_custom_inputs_need_a_generator():
    with pytest.raises(ReferenceFailed, match="no generator"):
        draw(one(), {"x": {"type": "custom"}})


def test_empty_tensors_can_be_drawn():
    for input_class in InputClass:
        (x,) = draw(one(), rows=0, input_class=input_class)
        assert x.shape == (0, 64)
    (weight,) = draw(one("up_proj"), columns=0)
    assert math.prod(weight.shape) == 0


def drawn_together(name, shape, slots=64):
    spec = one(name, shape=shape)
    sizes = {"R": 4, "C": 8}
    workload = Workload.model_validate(
        {"uuid": "w", "axes": sizes, "inputs": {name: {"type": "random"}}}
    )
    tensor = torch.empty([slots, *(sizes[axis] for axis in shape)])
    generator = torch.Generator().manual_seed(1)
    fill(spec, workload, sizes, {name: tensor}, generator=generator)
    return tensor


TOGETHER = [
    # input, shape, what holds for every slot
    pytest.param("attn_weights", (), lambda t: (t == 1).all(), id="a single probability"),
    pytest.param("A_cumsum", (), lambda t: t.amin() >= -0.1, id="a single sum"),
    pytest.param(
        "attn_weights", ("C",), lambda t: (t.sum(-1) - 1).abs().amax() < 1e-5, id="probabilities"
    ),
    pytest.param(
        "A_cumsum", ("R", "C"), lambda t: (t.diff(dim=-1) <= 0).all(), id="sums that fall"
    ),
    pytest.param("x", ("R", "C"), lambda t: (t[0] != t[1]).all(), id="plain"),
]


@pytest.mark.parametrize(("name", "shape", "holds"), TOGETHER)
def test_slots_drawn_together_are_each_like_one_drawn_alone(name, shape, holds):
    assert holds(drawn_together(name, shape))
