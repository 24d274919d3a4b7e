"""`guard.formats._solution_file`: solution files and bare sources, and every way to be wrong."""

import json

import pytest

from guard.domain.errors import MalformedSolution, SourceTooLarge
from guard.formats.sol_execbench import FORMAT
from tests.guard.formats.folders import sound_folder
from tests.guard.trials import linear


@pytest.fixture
def folder(tmp_path):
    return sound_folder(tmp_path / "scale_problem")


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


BINDING_OPTIONS = [
    pytest.param(None, (), id="none"),
    pytest.param({}, ("-O3", "--use_fast_math"), id="those that upstream fills in"),
    pytest.param(
        {"cflags": ["-O2"], "cuda_cflags": ["-lineinfo"], "ld_flags": ["-lcuda"]},
        ("-O2", "-lineinfo", "-lcuda"),
        id="all three",
    ),
]


@pytest.mark.parametrize(("given", "options"), BINDING_OPTIONS)
def test_a_torch_binding_is_read_with_its_options(folder, given, options):
    path = write_solution(
        folder,
        languages=["cuda_cpp"],
        binding="torch",
        entry_point="a.cu::run",
        sources=[{"path": "a.cu", "content": "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}"}],
        compile_options=given,
    )
    solution = read_solution(folder, path)
    assert (solution.language, solution.options) == ("cuda_cpp", options)


def test_a_bare_source_with_a_binding_is_told_by_it(folder):
    path = folder / "kernel.cu"
    path.write_text("PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}")
    assert read_solution(folder, path).language == "cuda_cpp"


BAD_SOLUTIONS = [
    pytest.param({"languages": ["cute_dsl"]}, "not available here", id="cute_dsl"),
    pytest.param({"languages": ["fortran"]}, "known are", id="unknown language"),
    pytest.param({"languages": ["cuda", "pytorch"]}, "cannot be mixed", id="mixed sides"),
    pytest.param({"binding": "torch"}, "spec.binding", id="a binding of Python"),
    pytest.param({"languages": ["cuda_cpp"], "binding": "tvm-ffi"}, "'torch'", id="binding"),
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
    (folder / "k.launch.json").write_text(json.dumps(PLAN))
    assert read_solution(folder, folder / "k.cu").launch_plan.kernels[0].grid == ("M",)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", r"launch_plan .*k\.launch\.json:1"), ("{}", r"launch_plan\.kernels")],
    ids=["no JSON", "no kernels"],
)
def test_a_broken_launch_plan_names_the_field(folder, text, message):
    (folder / "k.cu").write_text("__global__ void k();")
    (folder / "k.launch.json").write_text(text)
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


PREPARES = "def prepare(weight, bias):\n    return weight\n\n\n"
PREPARING = [
    pytest.param("def run(x, joined, y):\n    pass\n", True, id="the output comes last"),
    pytest.param("def run(x, weight, bias):\n    pass\n", False, id="no output is passed"),
]


@pytest.mark.parametrize(("run", "passes"), PREPARING)
def test_the_style_of_who_prepares_is_told_by_the_outputs_names(tmp_path, run, passes):
    (tmp_path / "kernel.py").write_text("import torch\n" + PREPARES + run)
    task = linear()
    found = FORMAT.solution(tmp_path / "kernel.py", task)
    assert found.destination_passing_style is passes
