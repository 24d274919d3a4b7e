"""`guard.referee.reference`: what the outputs should be, and who decides it."""

import math

import pytest
import torch

from guard.domain.problem import Definition, Tolerance
from guard.referee.reference import Reference, ReferenceFailed, expected, torch_dtype

SIZES = {"N": 6}
Y = {"shape": ["N"], "dtype": "float32"}


def definition(body, *, dtype="float32", outputs=None, head="import torch"):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return Definition.model_validate(
        {
            "name": "t",
            "axes": {"N": {"type": "var"}},
            "inputs": {
                "x": {"shape": ["N"], "dtype": dtype},
                "s": {"shape": None, "dtype": "float32"},
            },
            "outputs": outputs or {"y": {"shape": ["N"], "dtype": dtype}},
            "reference": f"{head}\n\ndef run(x, s):\n{lines}\n",
        }
    )


def arguments(dtype=torch.float32):
    return [torch.linspace(-2.0, 3.0, 6).to(dtype), 2.0]


TWO = {"a": Y, "b": {"shape": [], "dtype": "int64"}}
RETURNS = [
    pytest.param("return x * s, 7", id="tuple"),
    pytest.param("return [x * s, 7]", id="list"),
    pytest.param("return {'b': 7, 'a': x * s, 'more': 1}", id="dict"),
    pytest.param("return x * s, torch.tensor(7)", id="0-D tensor"),
]


@pytest.mark.parametrize("body", RETURNS)
def test_outputs_come_in_declared_order_whatever_is_returned(body):
    a, b = Reference(definition(body, outputs=TWO)).run(arguments(), SIZES)
    assert torch.equal(a, arguments()[0] * 2)
    assert (b.item(), b.dtype, b.shape) == (7, torch.int64, ())


BAD = [
    pytest.param("return x[:3]", r"shape \(3,\)", id="shape"),
    pytest.param("return x.double()", "float64", id="dtype"),
    pytest.param("return x, x", "2 values for 1", id="too many"),
    pytest.param("return {'z': x}", "no 'y'", id="name"),
    pytest.param("return None", "NoneType", id="nothing"),
    pytest.param("return 'text'", "str", id="text"),
    pytest.param("return x @ x.reshape(2, 3)", "RuntimeError", id="torch error"),
    pytest.param("return undefined", "NameError", id="name error"),
    pytest.param("assert False, 'no'", "AssertionError: no", id="assertion"),
    pytest.param("x += 1\nreturn x * 2", "changes its input 'x'", id="writes its input"),
]


@pytest.mark.parametrize(("body", "message"), BAD)
def test_an_unusable_reference_says_why(body, message):
    reference = Reference(definition(body))
    with pytest.raises(ReferenceFailed, match=message):
        expected(reference, arguments(), SIZES, Tolerance())


def test_a_reference_that_cannot_be_loaded_says_why():
    with pytest.raises(ReferenceFailed, match="ModuleNotFoundError"):
        Reference(definition("return x", head="import no_such_module_here"))


@pytest.mark.parametrize(
    ("value", "allowed", "fails"),
    [
        pytest.param("nan", True, True, id="NaN"),
        pytest.param("inf", True, True, id="inf"),
        pytest.param("-inf", False, True, id="-inf"),
        pytest.param("-inf", True, False, id="-inf, allowed"),
    ],
)
def test_outputs_of_the_reference_must_be_finite(value, allowed, fails):
    reference = Reference(definition(f"return x * 0 + float('{value}')"))
    tolerance = Tolerance(allow_negative_inf=allowed)
    if fails:
        with pytest.raises(ReferenceFailed, match="NaN or infinite"):
            expected(reference, arguments(), SIZES, tolerance)
    else:
        assert (expected(reference, arguments(), SIZES, tolerance).tensors[0] == -math.inf).all()


CASTS = [
    "x.float().square()",
    "x.to(torch.float32).square()",
    "x.to(dtype=torch.bfloat16).square()",
    "x.type(torch.float16).square()",
    "x.half() * x.bfloat16()",
    "torch.ones(6, dtype=torch.float32) * x.square()",
    "x.square() * torch.ones(6)",
    "torch.square(x.to(x.dtype))",
    "torch.sum(x.float().square().unsqueeze(0), dim=0, dtype=torch.float32)",
]


@pytest.mark.parametrize("expression", CASTS)
def test_the_float64_run_has_no_narrower_step_inside(expression):
    x = torch.tensor([0.1, 0.2, 0.3, 1 / 3, 1e-3, 7.7]).to(torch.bfloat16)
    reference = Reference(definition(f"return ({expression}).to(x.dtype)", dtype="bfloat16"))
    (wide,) = reference.run64([x, 2.0], SIZES)
    assert wide.dtype is torch.float64
    assert torch.equal(wide, x.double().square())
    assert torch.get_default_dtype() is torch.float32


def test_integers_stay_integers_in_the_float64_run():
    outputs = {"y": {"shape": ["N"], "dtype": "int64"}}
    (order,) = Reference(definition("return torch.argsort(x)", outputs=outputs)).run64(
        arguments(), SIZES
    )
    assert order.dtype is torch.int64


LOOSE = Tolerance(max_atol=1e-2, max_rtol=1e-2)
TIGHT = Tolerance(max_atol=1e-9, max_rtol=1e-9)
BF16_SUM = "return ((x + 256) - 256) * s"
READS_BITS = "return x.view(torch.int16).view(torch.bfloat16) * s"


@pytest.mark.parametrize(
    ("body", "tolerance", "source"),
    [
        pytest.param("return x * s / 3", LOOSE, "float64", id="passes, so float64 decides"),
        pytest.param("return x * s / 3", TIGHT, "reference", id="too tight for its own type"),
        pytest.param(BF16_SUM, LOOSE, "reference", id="loses digits by design"),
        pytest.param(READS_BITS, LOOSE, "reference", id="cannot run in float64"),
    ],
)
def test_float64_decides_where_the_reference_itself_passes(body, tolerance, source):
    reference = Reference(definition(body, dtype="bfloat16"))
    x = torch.tensor([0.1, 0.2, 0.3, 1.7, 1e-3, 7.7]).to(torch.bfloat16)
    answer = expected(reference, [x, 2.0], SIZES, tolerance)
    assert answer.source == source
    wanted = torch.float64 if source == "float64" else torch.bfloat16
    assert answer.tensors[0].dtype is wanted
    again = expected(reference, [x, 2.0], SIZES, tolerance, source=answer.source)
    assert torch.equal(again.tensors[0], answer.tensors[0])


@pytest.mark.parametrize(
    ("body", "admitted"),
    [
        pytest.param("return x * s", True, id="agrees with float64"),
        pytest.param(BF16_SUM, False, id="does not"),
        pytest.param("return x / 0", False, id="not finite"),
        pytest.param("raise ValueError(s)", False, id="raises"),
    ],
)
def test_other_classes_are_admitted_only_where_float64_can_decide(body, admitted):
    reference = Reference(definition(body, dtype="bfloat16"))
    inputs = arguments(torch.bfloat16)
    answer = expected(reference, inputs, SIZES, LOOSE, input_class="wide")
    assert (answer is not None) is admitted


def test_another_class_needs_twice_the_margin():
    reference = Reference(definition("return (x.to(torch.bfloat16)).to(x.dtype)"))
    x = torch.full((6,), 1.0 + 2**-9)  # bfloat16 rounds it to 1, off by 0.00195
    enough = Tolerance(max_atol=0.003, max_rtol=0.0)
    assert expected(reference, [x, 2.0], SIZES, enough).source == "float64"
    assert expected(reference, [x, 2.0], SIZES, enough, input_class="wide") is None


@pytest.mark.parametrize("body", ["return x", "return x.view(2, 3).view(6)"], ids=["same", "view"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_expected_outputs_do_not_share_memory_with_the_inputs(body, dtype):
    reference = Reference(definition(body, dtype=dtype))
    inputs = arguments(torch_dtype(dtype))
    before = inputs[0].clone()
    answer = expected(reference, inputs, SIZES, Tolerance())
    inputs[0].zero_()
    assert torch.equal(answer.tensors[0].to(before.dtype), before)


def test_a_traceback_shows_the_references_line():
    reference = Reference(definition("return missing_name"))
    with pytest.raises(ReferenceFailed) as caught:
        reference.run(arguments(), SIZES)
    frames = caught.value.__cause__.__traceback__
    while frames.tb_next:
        frames = frames.tb_next
    assert frames.tb_frame.f_code.co_filename == "<reference>"


def test_the_float64_run_of_8_bit_inputs_keeps_their_values():
    outputs = {"y": {"shape": ["N"], "dtype": "float32"}}
    reference = Reference(
        definition("return x.to(torch.float32) * s", dtype="float8_e4m3fn", outputs=outputs)
    )
    inputs = arguments(torch.float8_e4m3fn)
    assert torch.equal(reference.run64(inputs, SIZES)[0], inputs[0].double() * 2)
