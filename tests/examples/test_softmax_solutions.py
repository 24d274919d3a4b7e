"""The prepared solutions of `softmax_rows`, each held to what its plan expects of it."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from examples.team.plan import SOLUTIONS, Candidate, read_plan
from guard.domain.decision import Policy
from tests.examples.native import Run, agrees, compile_source, load

FOLDER = SOLUTIONS / "softmax_rows"
PLAN = read_plan(FOLDER)
NATIVE = [c for c in PLAN.candidates if c.file.endswith(".cpp") and c.expect != "compile-error"]
HONEST = [c for c in NATIVE if c.expect in ("correct", "slow")]
SHAPES = [(7, 2048), (16, 512), (9, 997), (5, 1000), (3, 5), (1, 1)]
PORTABLE = ("-O1", "-fopenmp", "-std=c++17", "-shared", "-fPIC", "-Wno-psabi")
# Without torch, which takes seconds to import.
ONE_CALL = """
import ctypes, sys
x, y = ((ctypes.c_float * (64 * 997))() for _ in range(2))
ctypes.CDLL(sys.argv[1]).run(x, y, ctypes.c_int64(64), ctypes.c_int64(997))
"""


def marked(expected: str) -> list[object]:
    return [pytest.param(c, id=c.name) for c in NATIVE if c.expect == expected]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("libraries")
    paths = {c.file: folder / (c.name.replace("/", "-") + ".so") for c in NATIVE}
    with ThreadPoolExecutor(2) as pool:
        compiled = pool.map(
            lambda c: compile_source(FOLDER / c.file, paths[c.file], PLAN.options_of(c)), NATIVE
        )
        assert {c.file: told for c, told in zip(NATIVE, compiled, strict=True) if told} == {}
    return paths


def computed(run: Run, x: torch.Tensor) -> torch.Tensor:
    y = torch.full_like(x, float("nan"))
    run(x, y)
    return y


def wide(rows: int, columns: int) -> torch.Tensor:
    return torch.randn(rows, columns) * 2.0 ** torch.randint(-7, 8, (rows, 1))


@pytest.mark.parametrize("candidate", HONEST, ids=lambda c: c.name)
def test_an_honest_candidate_agrees_with_torch_on_every_shape(
    candidate: Candidate, libraries: dict[str, Path]
) -> None:
    run = load(libraries[candidate.file])
    for rows, columns in SHAPES:
        for x in (torch.randn(rows, columns), wide(rows, columns)):
            assert agrees(x, computed(run, x)), (rows, columns)


@pytest.mark.parametrize("candidate", marked("wrong"))
def test_a_wrong_candidate_disagrees_on_some_input(
    candidate: Candidate, libraries: dict[str, Path]
) -> None:
    run = load(libraries[candidate.file])
    xs = [make(16, columns) for columns in (997, 512) for make in (torch.randn, wide)]
    assert not all(agrees(x, computed(run, x)) for x in xs)


@pytest.mark.parametrize("candidate", marked("cheat"))
def test_a_cheat_is_not_always_right_when_outputs_are_poisoned_and_inputs_change(
    candidate: Candidate, libraries: dict[str, Path]
) -> None:
    run = load(libraries[candidate.file])
    # The very same buffers each time, as a benchmark's are. A call that is not done when it
    # returns has been seen to write nothing yet; a busy host may let some such calls finish.
    x, y = torch.empty(2048, 1024), torch.empty(2048, 1024)
    right = []
    for _ in range(10):
        x.normal_()
        y.fill_(float("nan"))
        run(x, y)
        right.append(agrees(x, y.clone()))
    assert not all(right)


@pytest.mark.parametrize(
    ("expected", "ending"), [("crash", "signal"), ("hang", "time limit")], ids=["crash", "hang"]
)
def test_a_crashing_or_endless_candidate_never_returns(
    expected: str, ending: str, libraries: dict[str, Path]
) -> None:
    found = [c for c in NATIVE if c.expect == expected]
    assert found
    for candidate in found:
        command = [sys.executable, "-c", ONE_CALL, str(libraries[candidate.file])]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(2)
                ended = "signal" if process.returncode < 0 else "by itself"
            except subprocess.TimeoutExpired:
                process.kill()
                ended = "time limit"
        assert ended == ending


def test_what_should_not_compile_does_not(tmp_path: Path) -> None:
    broken = [c for c in PLAN.candidates if c.expect == "compile-error"]
    assert broken
    for candidate in broken:
        assert "error" in compile_source(FOLDER / candidate.file, tmp_path / "x.so")


@pytest.mark.parametrize(
    "file", ["compute/polynomial.cpp", "memory/streaming_stores.cpp", "arch-native/avx512.cpp"]
)
def test_a_vectorised_candidate_works_without_the_instructions_of_this_machine(
    file: str, tmp_path: Path
) -> None:
    library = tmp_path / "portable.so"
    assert compile_source(FOLDER / file, library, flags=PORTABLE) == ""
    x = wide(9, 997)
    assert agrees(x, computed(load(library), x))


def test_a_lane_holds_enough_variants_for_a_plateau() -> None:
    # One that is good, then as many as the plateau takes, and one to spare.
    variants = [[c for c in candidates if c in HONEST] for candidates in PLAN.lane.values()]
    assert max(map(len, variants)) >= 2 + Policy().drafting_after
