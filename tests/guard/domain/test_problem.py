"""`guard.domain.problem`: the rules within a definition and within a workload."""

import pytest
from pydantic import ValidationError

from guard.domain.expression import BadExpression
from guard.domain.problem import Definition, Problem, Tolerance, Workload, concrete_shape

RUN = "def run(x, s):\n    return x * s\n"


def raw_definition(**changed):
    base = {
        "name": "scale",
        "axes": {
            "M": {"type": "var"},
            "N": {"type": "const", "value": 8},
            "P": {"type": "expr", "expression": "M * N"},
        },
        "inputs": {
            "x": {"shape": ["M", "N"], "dtype": "float32"},
            "s": {"shape": None, "dtype": "float32"},
        },
        "outputs": {"y": {"shape": ["P", "2"], "dtype": "float32"}},
        "reference": RUN,
    }
    return {**base, **changed}


def raw_workload(**changed):
    base = {
        "uuid": "w1",
        "axes": {"M": 3},
        "inputs": {"x": {"type": "random"}, "s": {"type": "scalar", "value": 2.0}},
    }
    return {**base, **changed}


def test_axes_are_resolved_in_file_order():
    definition = Definition.model_validate(raw_definition())
    sizes = definition.resolve({"M": 3})
    assert list(sizes.items()) == [("M", 3), ("N", 8), ("P", 24)]
    assert concrete_shape(definition.outputs["y"], sizes) == (24, 2)
    assert concrete_shape(definition.inputs["s"], sizes) == ()
    assert definition.var_axes == ("M",)


def test_an_expression_cannot_use_a_later_axis():
    axes = {"P": {"type": "expr", "expression": "M"}, "M": {"type": "var"}}
    definition = Definition.model_validate(
        raw_definition(
            axes={**axes, "N": {"type": "const", "value": 1}},
        )
    )
    with pytest.raises(BadExpression, match="unknown name 'M'"):
        definition.resolve({"M": 3})


def test_an_axis_cannot_become_negative():
    axes = {**raw_definition()["axes"], "P": {"type": "expr", "expression": "M - 5"}}
    definition = Definition.model_validate(raw_definition(axes=axes))
    with pytest.raises(BadExpression, match="'P' would have size -2"):
        definition.resolve({"M": 3})


@pytest.mark.parametrize("hf_id", ["", None], ids=["empty", "null"])
def test_an_empty_hf_id_is_none(hf_id):
    assert Definition.model_validate(raw_definition(hf_id=hf_id)).hf_id is None


X = {"shape": ["M", "N"], "dtype": "float32"}
S = {"shape": None, "dtype": "float32"}
BROKEN = [
    pytest.param({"name": ""}, "name", id="no name"),
    pytest.param({"axes": {"M": {"type": "other"}}}, "axes.M", id="unknown axis type"),
    pytest.param({"axes": {"M": {"type": "const", "value": -1}}}, "axes.M", id="negative axis"),
    pytest.param({"axes": {"N": {"type": "const", "value": 1}}}, "not an axis", id="no such axis"),
    pytest.param({"inputs": {"x": {**X, "dtype": "uint8"}, "s": S}}, "dtype", id="unknown dtype"),
    pytest.param({"inputs": {"M": X, "s": S}}, "named like an axis", id="input named as an axis"),
    pytest.param({"outputs": {"x": X}}, "named like an input", id="output named as an input"),
    pytest.param({"outputs": {"a-b": X}}, "not an identifier", id="no identifier"),
    pytest.param({"outputs": {}}, "outputs", id="no outputs"),
    pytest.param({"reference": "def run(x, s)"}, "does not parse", id="syntax error"),
    pytest.param({"reference": "def go(x, s): ..."}, "no top-level function", id="no run"),
    pytest.param({"reference": "def run(s, x): ..."}, "takes", id="wrong parameter order"),
    pytest.param({"custom_inputs_entrypoint": "draw"}, "draw", id="no generator"),
]


@pytest.mark.parametrize(("changed", "message"), BROKEN)
def test_a_broken_definition_is_refused(changed, message):
    with pytest.raises(ValidationError, match=message):
        Definition.model_validate(raw_definition(**changed))


def test_keyword_only_parameters_of_run_are_allowed():
    source = "def run(x, /, s, *, fast=True):\n    return x\n"
    assert Definition.model_validate(raw_definition(reference=source)).reference == source


def test_unknown_keys_are_ignored():
    definition = Definition.model_validate(raw_definition(constraints=["M > 2"]))
    assert "constraints" not in definition.model_dump()


def test_a_misspelt_ratio_leaves_the_default():
    workload = Workload.model_validate(raw_workload(tolerance={"required_match_ratio": 0.5}))
    assert workload.tolerance == Tolerance()
    assert workload.tolerance.required_matched_ratio == 0.99


@pytest.mark.parametrize("value", [True, 3, 0.5], ids=["bool", "int", "float"])
def test_a_scalar_keeps_its_type(value):
    inputs = {"x": {"type": "random"}, "s": {"type": "scalar", "value": value}}
    read = Workload.model_validate(raw_workload(inputs=inputs)).inputs["s"]
    assert type(read.value) is type(value)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        pytest.param({"uuid": ""}, "uuid", id="no uuid"),
        pytest.param({"axes": {"M": -1}}, "axes.M", id="negative"),
        pytest.param({"axes": {"M": 1.5}}, "axes.M", id="no integer"),
        pytest.param({"inputs": {"x": {"type": "zeros"}}}, "inputs.x", id="unknown kind"),
        pytest.param(
            {"inputs": {"x": {"type": "custom"}, "s": {"type": "random"}}}, "custom", id="mixed"
        ),
        pytest.param({"tolerance": {"max_atol": -1}}, "max_atol", id="negative tolerance"),
        pytest.param(
            {"tolerance": {"required_matched_ratio": 1.1}}, "required", id="ratio above one"
        ),
    ],
)
def test_a_broken_workload_is_refused(changed, message):
    with pytest.raises(ValidationError, match=message):
        Workload.model_validate(raw_workload(**changed))


def test_cpu_devices_have_their_own_workloads():
    usual = Workload.model_validate(raw_workload())
    small = Workload.model_validate(raw_workload(uuid="small"))
    problem = Problem(
        name="scale",
        definition=Definition.model_validate(raw_definition()),
        workloads=(usual,),
        cpu_workloads=(small,),
    )
    assert problem.workloads_for("cpu") == (small,)
    assert problem.workloads_for("nvidia") == (usual,)
    assert Problem.model_validate_json(problem.model_dump_json()) == problem


W = {"shape": ["N"], "dtype": "float32"}
CONSTANT = {
    "inputs": {"x": X, "w": W, "s": S},
    "reference": "def run(x, w, s):\n    return x * w * s\n",
}
CONSTANTS = [
    pytest.param(["v"], {}, "constant_inputs: not an input: 'v'", id="unknown"),
    pytest.param(["w", "w"], {}, "constant_inputs: named twice: 'w'", id="twice"),
    pytest.param(["s"], {}, "constant_inputs: a scalar .* 's'", id="a scalar"),
    pytest.param(["x", "w"], {}, "at least one tensor must differ", id="every tensor"),
    pytest.param(
        ["w"],
        {
            "reference": CONSTANT["reference"] + "def draw(axes, device):\n    return {}\n",
            "custom_inputs_entrypoint": "draw",
        },
        "custom_inputs_entrypoint draws all inputs",
        id="with a generator",
    ),
    pytest.param(
        ["w"],
        {"reference": CONSTANT["reference"] + "def prepare(w):\n    return w\n"},
        "no function may be named 'prepare'",
        id="the reference prepares",
    ),
]


@pytest.mark.parametrize(("names", "changed", "message"), CONSTANTS)
def test_what_cannot_be_constant_is_refused_by_its_reason(names, changed, message):
    with pytest.raises(ValidationError, match=message):
        Definition.model_validate(raw_definition(**{**CONSTANT, **changed}, constant_inputs=names))


def test_constant_inputs_come_in_definition_order_and_are_none_by_default():
    given = {**CONSTANT["inputs"], "b": W}
    run = "def run(x, w, s, b):\n    return x * w * s + b\n"
    raw = raw_definition(inputs=given, reference=run)
    assert Definition.model_validate(raw).constant_tensors == {}
    found = Definition.model_validate({**raw, "constant_inputs": ["b", "w"]})
    assert list(found.constant_tensors) == ["w", "b"]
    assert list(found.varying_tensors) == ["x"]
