"""`guard.formats.sol_execbench`: problem folders, and every way to be wrong."""

import json
import os
from pathlib import Path

import pytest

from guard.domain.errors import MalformedProblem
from guard.formats.sol_execbench import FORMAT
from tests.guard.formats.folders import (
    DEFINITION,
    WORKLOAD,
    sound_folder,
    write_definition,
    write_workloads,
)

REPOSITORY = Path(__file__).parents[3]
EXAMPLES = sorted((REPOSITORY / "examples" / "problems").iterdir())

BASELINE = "def run(x, s, y):\n    y.copy_(x * s)\n"


@pytest.fixture
def folder(tmp_path):
    return sound_folder(tmp_path / "scale_problem")


def workload(**changed):
    return {**WORKLOAD, **changed}


def inputs(**changed):
    return {"inputs": {**WORKLOAD["inputs"], **changed}}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_reads_without_a_warning(path):
    assert FORMAT.recognises(path)
    problem = FORMAT.read(path)
    assert problem.name == problem.definition.name == path.name
    assert problem.warnings == ()
    assert problem.baseline_source
    assert problem.cpu_workloads
    assert problem.definition.op_type


def test_a_folder_of_the_minimum_reads(folder):
    problem = FORMAT.read(folder)
    assert problem.name == "scale_problem"
    assert problem.definition.hf_id is None
    assert problem.workloads[0].uuid == "w1"
    assert (problem.cpu_workloads, problem.baseline_source) == ((), "")
    assert problem.warnings == ()


def test_the_optional_files_are_read(folder):
    write_workloads(folder, workload(uuid="small"), file="workload.cpu.jsonl")
    (folder / "baseline.py").write_text(BASELINE)
    problem = FORMAT.read(folder)
    assert problem.workloads_for("cpu")[0].uuid == "small"
    assert problem.baseline_source == BASELINE


def test_empty_lines_and_a_byte_order_mark_pass(folder):
    text = "\ufeff\n" + json.dumps(WORKLOAD) + "\n\n  \n" + json.dumps(workload(uuid="w2"))
    (folder / "workload.jsonl").write_text(text)
    assert [w.uuid for w in FORMAT.read(folder).workloads] == ["w1", "w2"]


def test_a_scalar_may_be_random(folder):
    write_workloads(folder, workload(**inputs(s={"type": "random"})))
    assert FORMAT.read(folder).workloads[0].inputs["s"].type == "random"


def test_a_folder_without_workloads_is_not_of_this_format(tmp_path):
    (tmp_path / "definition.json").write_text("{}")
    assert not FORMAT.recognises(tmp_path)


WARNINGS = [
    pytest.param(
        {"constraints": ["M > 2"]},
        {},
        ["definition.json: `constraints` is ignored, as in SOL-ExecBench; nothing checks it."],
        id="constraints",
    ),
    pytest.param(
        {},
        {"tolerance": {"required_match_ratio": 0.98}},
        [
            "workload.jsonl:1 and 1 more lines: `tolerance.required_match_ratio` is ignored: the "
            "key is `required_matched_ratio`, so required_matched_ratio 0.99 applies."
        ],
        id="misspelt ratio",
    ),
    pytest.param(
        {"op_tpye": "scale"},
        {},
        ["definition.json: `op_tpye` is ignored: the key is `op_type`, so op_type None applies."],
        id="misspelt key of the definition",
    ),
    pytest.param(
        {"axes": {**DEFINITION["axes"], "M": {"type": "var", "min": 2}}},
        {"note": 1, **inputs(s={"type": "scalar", "value": 2, "unit": "s"})},
        [
            "definition.json: `axes.M.min` is ignored: no such key.",
            "workload.jsonl:1 and 1 more lines: `note` is ignored: no such key.",
            "workload.jsonl:1 and 1 more lines: `inputs.s.unit` is ignored: no such key.",
        ],
        id="unknown keys",
    ),
]


@pytest.mark.parametrize(("definition", "change", "warnings"), WARNINGS)
def test_keys_without_effect_are_reported(folder, definition, change, warnings):
    write_definition(folder, **definition)
    write_workloads(folder, workload(**change), workload(uuid="w2", **change))
    problem = FORMAT.read(folder)
    assert list(problem.warnings) == warnings
    assert problem.workloads[0].tolerance.required_matched_ratio == 0.99


BAD_DEFINITIONS = [
    pytest.param({"name": None}, r"definition\.json: name: ", id="field of the wrong type"),
    pytest.param(
        {"inputs": {"M": DEFINITION["inputs"]["x"]}}, r"inputs: named like an axis", id="names"
    ),
    pytest.param({"reference": "def run(x, s)"}, r"reference: does not parse", id="syntax"),
    pytest.param({"reference": "x = 1"}, r"reference: has no top-level function", id="no run"),
    pytest.param({"reference": "-" * 90_000 + "1"}, "definition.json: reference", id="deep"),
    pytest.param({"custom_inputs_entrypoint": "draw"}, "custom_inputs_entrypoint", id="draw"),
    pytest.param({"name": "\ud800"}, r"definition\.json: name", id="lone surrogate"),
]


@pytest.mark.parametrize(("changed", "message"), BAD_DEFINITIONS)
def test_a_broken_definition_names_file_field_and_reason(folder, changed, message):
    write_definition(folder, **changed)
    with pytest.raises(MalformedProblem, match=message):
        FORMAT.read(folder)


STORED = {"type": "safetensors", "path": "x.safetensors", "tensor_key": "x"}
BAD_WORKLOADS = [
    pytest.param({"axes": {}}, r"axes\.M: is missing", id="axis missing"),
    pytest.param({"axes": {"M": 4, "N": 8}}, r"axes\.N: is not one", id="const axis given"),
    pytest.param({"axes": {"M": 5.5}}, r"axes\.M: ", id="no integer"),
    pytest.param({"axes": {"M": -1}}, r"axes\.M: ", id="negative"),
    pytest.param({"inputs": {"x": {"type": "random"}}}, r"inputs\.s: is missing", id="input"),
    pytest.param(inputs(z={"type": "random"}), r"inputs\.z: is not one", id="unknown input"),
    pytest.param(
        inputs(x={"type": "scalar", "value": 1}), r"inputs\.x: .*has a shape", id="scalar tensor"
    ),
    pytest.param(inputs(s=STORED), r"inputs\.s: is stored", id="stored scalar"),
    pytest.param(inputs(x=STORED), r"inputs\.x: .*no such file", id="stored file missing"),
    pytest.param(
        inputs(x={**STORED, "path": "../x"}), r"inputs\.x: .*without '\.\.'", id="traversal"
    ),
    pytest.param(inputs(x={**STORED, "path": "/etc/x"}), r"inputs\.x: .*relative", id="absolute"),
    pytest.param(inputs(x={"type": "custom"}), "when one input is custom", id="mixed custom"),
    pytest.param(
        {"inputs": {"x": {"type": "custom"}, "s": {"type": "custom"}}},
        "names no custom_inputs_entrypoint",
        id="custom without generator",
    ),
    pytest.param({"uuid": "w0"}, r"uuid: 'w0' is line 1's already", id="duplicate uuid"),
    pytest.param({"uuid": "hidden-9"}, r"uuid: must not begin with 'hidden-'", id="reserved"),
    pytest.param({"tolerance": {"max_atol": "x"}}, r"tolerance\.max_atol", id="tolerance"),
]


@pytest.mark.parametrize(("changed", "message"), BAD_WORKLOADS)
@pytest.mark.parametrize("file", ["workload.jsonl", "workload.cpu.jsonl"])
def test_a_broken_workload_names_its_line(folder, file, changed, message):
    write_workloads(folder, workload(uuid="w0"), workload(**changed), file=file)
    with pytest.raises(MalformedProblem, match=rf"{file}:2: .*{message}|{file}:2: {message}"):
        FORMAT.read(folder)


@pytest.mark.parametrize(
    ("dtype", "value", "fits"),
    [
        ("float32", 3, True),
        ("float32", True, True),
        ("int32", 3.0, True),
        ("int32", 3.5, False),
        ("bool", True, True),
        ("bool", 1, False),
    ],
)
def test_a_scalars_value_must_fit_its_dtype(folder, dtype, value, fits):
    write_definition(folder, inputs={**DEFINITION["inputs"], "s": {"shape": None, "dtype": dtype}})
    write_workloads(folder, workload(**inputs(s={"type": "scalar", "value": value})))
    if fits:
        assert FORMAT.read(folder).workloads
    else:
        with pytest.raises(MalformedProblem, match=r"inputs\.s: has value"):
            FORMAT.read(folder)


def test_an_expression_axis_that_cannot_be_computed_names_the_line(folder):
    axes = {**DEFINITION["axes"], "P": {"type": "expr", "expression": "M // (M - 4)"}}
    write_definition(folder, axes=axes)
    with pytest.raises(MalformedProblem, match=r"workload\.jsonl:1: axes: .*by zero"):
        FORMAT.read(folder)


TEXTS = [
    pytest.param(b'{"a": 1,}', r":1: file: not JSON", id="trailing comma"),
    pytest.param(b'{\n"a": NaN}', "NaN is not a JSON number", id="NaN"),
    pytest.param(b'{"a": -Infinity}', "-Infinity is not a JSON number", id="infinity"),
    pytest.param(b'{"a": 1, "a": 2}', "'a' appears twice", id="key twice"),
    pytest.param(b"[1]", "expected a JSON object, found list", id="list"),
    pytest.param(b"", "not JSON", id="empty"),
    pytest.param(b'\n\n{"a": "\xff"}', ":3: file: the text is not UTF-8", id="not UTF-8"),
    pytest.param(b"[" * 200_000, "too deeply nested", id="too deep"),
    pytest.param(b'{"a": ' + b"9" * 5000 + b"}", "not JSON", id="a number too long"),
    pytest.param(b'{"a": "' + b"x" * 2**24 + b'"}', "larger than 16,777,216 bytes", id="large"),
]


@pytest.mark.parametrize(("text", "message"), TEXTS)
def test_text_that_is_no_strict_json_is_refused(folder, text, message):
    (folder / "definition.json").write_bytes(text)
    with pytest.raises(MalformedProblem, match=message):
        FORMAT.read(folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n{}\n{}\n", r"workload\.jsonl:2: .*uuid"),
        (json.dumps(WORKLOAD) + "\n\n{oops\n", r"workload\.jsonl:3: file: not JSON"),
        ("\n\n", r"workload\.jsonl: file: has 0 workloads"),
    ],
    ids=["first broken line", "line after an empty one", "no workloads"],
)
def test_the_line_of_a_broken_workload_file_is_counted_from_one(folder, text, message):
    (folder / "workload.jsonl").write_text(text)
    with pytest.raises(MalformedProblem, match=message):
        FORMAT.read(folder)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(MalformedProblem, match=r"definition\.json: file: No such file"):
        FORMAT.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def run(x, y):\n    pass\n", r"run\(x, s, y\)"),
        ("x = 1\n", r"run\(x, s, y\)"),
        ("x = 1\ndef run(:\n", r"baseline\.py:2: file: does not parse"),
    ],
    ids=["parameters", "no run", "syntax"],
)
def test_a_broken_baseline_is_refused(folder, text, message):
    (folder / "baseline.py").write_text(text)
    with pytest.raises(MalformedProblem, match=message):
        FORMAT.read(folder)


@pytest.mark.parametrize("name", ["x" * 129, os.fsdecode(b"no text \xff")])
def test_a_folders_name_may_be_no_name_of_a_problem(folder, name):
    # Whatever is not said so would keep a server from starting, with every other problem.
    moved = folder.rename(folder.parent / name)
    with pytest.raises(MalformedProblem, match="folder: name: "):
        FORMAT.read(moved)


def test_a_stray_key_that_is_no_text_can_still_be_told(folder):
    path = folder / "definition.json"
    path.write_text(path.read_text().replace("{", '{"\\ud800": 1, ', 1))
    assert FORMAT.read(folder).model_dump_json()
