import os
import subprocess
import sys
from pathlib import Path

import pytest

from guard.languages.triton import LANGUAGE

ROOT = Path(__file__).parents[3]

# Triton reads once whether to interpret, so it needs a process of its own, as in a runner.
RUNNER = """
import sys
from pathlib import Path
import torch
from guard.domain.solution import Solution
from guard.languages.triton import LANGUAGE
assert "triton" not in sys.modules
solution = Solution.model_validate_json(sys.stdin.read())
kernel = LANGUAGE.load(solution, Path(sys.argv[1]))
x, y = torch.randn(100).to(sys.argv[2]), torch.full((100,), float("nan")).to(sys.argv[2])
kernel.bind([x, 2.5], [y], {"N": 100}, ("x", "scale", "y"))()
print((y - x * 2.5).abs().max().item())
"""


def run_in_a_process(solution, tmp_path, device, **environment):
    artifact = LANGUAGE.compile(solution, "native", tmp_path)
    for path, content in artifact.files.items():
        (tmp_path / path).write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, str(tmp_path), device],
        cwd=ROOT,
        env=os.environ | environment,
        input=solution.model_dump_json(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1e-6


def test_the_interpreter_runs_a_kernel_on_a_cpu(make, tmp_path):
    run_in_a_process(make("triton"), tmp_path, "cpu", CUDA_VISIBLE_DEVICES="")


@pytest.mark.gpu
def test_a_gpu_runs_a_compiled_kernel(make, tmp_path):
    run_in_a_process(make("triton"), tmp_path, "cuda")
    assert any((tmp_path / "cache" / "triton").rglob("*.cubin"))


def test_it_is_verified_but_never_timed_on_a_cpu():
    assert LANGUAGE.runs_on("cpu") is None
    assert "never timed" in (LANGUAGE.timed_on("cpu") or "")
    assert LANGUAGE.timed_on("nvidia") is None


IMPORTS = [
    pytest.param("import triton", True, id="import"),
    pytest.param("from triton import jit", True, id="from"),
    pytest.param("import triton.language as tl", True, id="submodule"),
    pytest.param("import torch\n# import triton", False, id="comment"),
    pytest.param("import tritonx", False, id="another library"),
]


@pytest.mark.parametrize(("source", "ok"), IMPORTS)
def test_a_source_without_triton_belongs_elsewhere(make, tmp_path, source, ok):
    report = LANGUAGE.compile(make("triton", source), "sm_90a", tmp_path).report
    assert report.ok is ok
    assert ("language 'pytorch'" in report.messages) is not ok
