"""`guard.formats.sol_execbench`: problem folders and solution files, and every way to be wrong."""

import json
from pathlib import Path

import pytest

from guard.domain.errors import MalformedProblem, MalformedSolution, SourceTooLarge
from guard.formats.sol_execbench import FORMAT

REPOSITORY = Path(__file__).parents[3]
EXAMPLES = sorted((REPOSITORY / "examples" / "problems").iterdir())

DEFINITION = {
    "name": "scale",
    "hf_id": "",
    "axes": {
        "M": {"type": "var"},
        "N": {"type": "const", "value": 8},
        "P": {"type": "expr", "expression": "M // 2"},
    },
    "inputs": {
        "x": {"shape": ["M", "N"], "dtype": "float32"},
        "s": {"shape": None, "dtype": "float32"},
    },
    "outputs": {"y": {"shape": ["M", "N"], "dtype": "float32"}},
    "reference": "def run(x, s):\n    return x * s\n",
}
WORKLOAD = {
    "uuid": "w1",
    "axes": {"M": 4},
    "inputs": {"x": {"type": "random"}, "s": {"type": "scalar", "value": 2}},
}
BASELINE = "def run(x, s, y):\n    y.copy_(x * s)\n"


@pytest.fixture
def folder(tmp_path):
    """A sound problem folder that a test may break."""
    path = tmp_path / "scale_problem"
    path.mkdir()
    (path / "definition.json").write_text(json.dumps(DEFINITION, indent=1))
    write_workloads(path, WORKLOAD)
    return path


def write_workloads(folder, *workloads, file="workload.jsonl"):
    (folder / file).write_text("".join(json.dumps(w) + "\n" for w in workloads))


def write_definition(folder, **changed):
    (folder / "definition.json").write_text(json.dumps({**DEFINITION, **changed}))


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
        ("\n{}\n{\n", r"workload\.jsonl:2: .*uuid"),
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


# --- solutions ----------------------------------------------------------------------------------

PYTHON = "import torch\n\ndef run(x, s, y):\n    y.copy_(x * s)\n"
TRITON = "import torch\nimport triton\n\ndef run(x, s, y):\n    pass\n"
PLAN = {"kernels": [{"kernel": "k", "grid": ["M"], "block": ["256"], "arguments": ["x", "y"]}]}


def write_solution(folder, *, sources=None, definition="scale", **spec):
    raw = {
        "name": "mine",
        "definition": definition,
        "author": "someone",
        "spec": {
            "languages": ["pytorch"],
            "target_hardware": ["LOCAL"],
            "entry_point": "kernel.py::run",
            **spec,
        },
        "sources": sources or [{"path": "kernel.py", "content": PYTHON}],
    }
    path = folder / "solution.json"
    path.write_text(json.dumps(raw))
    return path


def read_solution(folder, path):
    return FORMAT.solution(path, FORMAT.read(folder))


def test_a_solution_file_is_read(folder):
    path = write_solution(folder, dependencies=["torch"])
    solution = read_solution(folder, path)
    assert (solution.language, solution.entry_point) == ("pytorch", "run")
    assert solution.destination_passing_style
    assert solution.source == PYTHON


@pytest.mark.parametrize(
    ("languages", "language"),
    [(["pytorch"], "pytorch"), (["triton", "pytorch"], "triton"), ([], "pytorch")],
    ids=["one", "triton beside pytorch", "none"],
)
def test_languages_are_mapped_to_ours(folder, languages, language):
    path = write_solution(folder, languages=languages, destination_passing_style=False)
    solution = read_solution(folder, path)
    assert solution.language == language
    assert not solution.destination_passing_style


def test_missing_contents_come_from_the_files_beside(folder):
    (folder / "kernel.py").write_text(PYTHON)
    (folder / "more").mkdir()
    (folder / "more" / "part.py").write_text("x = 1\n")
    path = write_solution(folder, sources=[{"path": "more/part.py"}, {"path": "kernel.py"}])
    solution = read_solution(folder, path)
    assert [source.path for source in solution.sources] == ["kernel.py", "more/part.py"]
    assert solution.source == PYTHON


def test_compile_options_reach_compiled_languages_alone(folder):
    options = {"cflags": ["-O2"], "cuda_cflags": ["--use_fast_math"], "ld_flags": []}
    sources = [{"path": "a.cpp", "content": "int x;"}]
    path = write_solution(
        folder,
        languages=["cpp"],
        entry_point="a.cpp::go",
        sources=sources,
        compile_options=options,
    )
    assert read_solution(folder, path).options == ("-O2",)
    assert read_solution(folder, write_solution(folder, compile_options=options)).options == ()


def test_a_launch_plan_comes_with_a_cuda_solution(folder):
    path = write_solution(
        folder,
        languages=["cuda"],
        entry_point="a.cu::run",
        sources=[{"path": "a.cu", "content": "__global__ void k();"}],
        launch_plan=PLAN,
        compile_options={"cuda_cflags": ["-lineinfo"]},
    )
    solution = read_solution(folder, path)
    assert solution.launch_plan.kernels[0].kernel == "k"
    assert solution.options == ("-lineinfo",)


BAD_SOLUTIONS = [
    pytest.param({"languages": ["cuda_cpp"]}, "'cuda_cpp': torch C.. extensions", id="cuda_cpp"),
    pytest.param({"languages": ["cute_dsl"]}, "not available here", id="cute_dsl"),
    pytest.param({"languages": ["fortran"]}, "known are", id="unknown language"),
    pytest.param({"languages": ["cuda", "pytorch"]}, "cannot be mixed", id="mixed sides"),
    pytest.param({"binding": "torch"}, "spec.binding", id="binding"),
    pytest.param({"entry_point": "kernel.py"}, "spec.entry_point", id="no function"),
    pytest.param({"entry_point": "a::b::c"}, "spec.entry_point", id="two separators"),
    pytest.param({"entry_point": "other.py::run"}, "no source is called", id="no such file"),
    pytest.param({"definition": "other"}, "definition", id="another definition"),
    pytest.param({"sources": [{"path": "../a.py", "content": "x"}]}, "relative", id="traversal"),
    pytest.param({"sources": [{"path": "/a.py", "content": "x"}]}, "relative", id="absolute"),
    pytest.param({"sources": [{"path": "kernel.py", "content": " "}]}, "is empty", id="empty"),
    pytest.param({"sources": [{"path": "gone.py"}]}, "No such file", id="no file beside"),
    pytest.param(
        {"sources": [{"path": "a.py", "content": "x"}] * 2}, "appears twice", id="path twice"
    ),
    pytest.param({"launch_plan": {"kernels": []}}, "spec.launch_plan.kernels", id="plan"),
    pytest.param({"languages": "pytorch"}, "spec.languages", id="languages as text"),
]


@pytest.mark.parametrize(("changed", "message"), BAD_SOLUTIONS)
def test_a_broken_solution_names_the_field(folder, changed, message):
    path = write_solution(folder, **changed)
    with pytest.raises(MalformedSolution, match=message):
        read_solution(folder, path)


def test_a_link_out_of_the_folder_is_not_followed(folder):
    (folder.parent / "secret.py").write_text("x = 1\n")
    (folder / "kernel.py").symlink_to(folder.parent / "secret.py")
    path = write_solution(folder, sources=[{"path": "kernel.py"}])
    with pytest.raises(MalformedSolution, match="leads out"):
        read_solution(folder, path)


def test_a_solution_file_that_is_no_json_names_the_line(folder):
    path = folder / "solution.json"
    path.write_text("{\n oops")
    with pytest.raises(MalformedSolution, match=r"solution\.json:2: not JSON"):
        read_solution(folder, path)


def test_sources_over_the_limit_are_refused(folder):
    sources = [{"path": f"{i}.py", "content": "#" * 2**17} for i in range(3)]
    path = write_solution(folder, sources=sources, entry_point="0.py::run")
    with pytest.raises(SourceTooLarge):
        read_solution(folder, path)


BARE = [
    pytest.param("kernel.py", PYTHON, "pytorch", id="python"),
    pytest.param("kernel.py", TRITON, "triton", id="python that imports triton"),
    pytest.param("kernel.triton.py", PYTHON, "triton", id="triton by name"),
    pytest.param("kernel.cpp", "int x;", "cpp", id="C++"),
    pytest.param("kernel.cu", "int x;", "cuda", id="CUDA"),
    pytest.param("kernel.py", "def run(:", "pytorch", id="python that does not parse"),
]


@pytest.mark.parametrize(("name", "text", "language"), BARE)
def test_a_bare_files_language_is_told_by_its_name(folder, name, text, language):
    (folder / name).write_text(text)
    solution = read_solution(folder, folder / name)
    assert (solution.language, solution.entry_point) == (language, "run")
    assert solution.destination_passing_style
    assert solution.source == text


def test_a_bare_python_file_that_takes_the_inputs_alone_returns_its_outputs(folder):
    (folder / "k.py").write_text("def run(x, s):\n    return x * s\n")
    assert not read_solution(folder, folder / "k.py").destination_passing_style


def test_a_bare_cuda_file_finds_its_launch_plan_beside(folder):
    (folder / "k.cu").write_text("__global__ void k();")
    (folder / "k.plan.json").write_text(json.dumps(PLAN))
    assert read_solution(folder, folder / "k.cu").launch_plan.kernels[0].grid == ("M",)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", r"launch_plan .*k\.plan\.json:1"), ("{}", r"launch_plan\.kernels")],
    ids=["no JSON", "no kernels"],
)
def test_a_broken_launch_plan_names_the_field(folder, text, message):
    (folder / "k.cu").write_text("__global__ void k();")
    (folder / "k.plan.json").write_text(text)
    with pytest.raises(MalformedSolution, match=message):
        read_solution(folder, folder / "k.cu")


def test_a_given_language_decides(folder):
    (folder / "k.txt").write_text(PYTHON)
    problem = FORMAT.read(folder)
    assert FORMAT.solution(folder / "k.txt", problem, language="pytorch").language == "pytorch"
    with pytest.raises(MalformedSolution, match="known endings"):
        FORMAT.solution(folder / "k.txt", problem)
    with pytest.raises(MalformedSolution, match="asked for"):
        FORMAT.solution(write_solution(folder), problem, language="triton")


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "empty"), (b"\xff", "UTF-8"), (None, "No such file")],
    ids=["empty", "not UTF-8", "missing"],
)
def test_an_unreadable_bare_file_says_why(folder, data, message):
    if data is not None:
        (folder / "k.py").write_bytes(data)
    with pytest.raises(MalformedSolution, match=message):
        read_solution(folder, folder / "k.py")


def test_a_bare_file_over_the_limit_is_refused(folder):
    (folder / "k.py").write_text("#" * (2**18 + 1))
    with pytest.raises(SourceTooLarge):
        read_solution(folder, folder / "k.py")
