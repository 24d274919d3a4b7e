import sys
import time
from pathlib import Path

import pytest

from guard.compile import clean, cuda_include_dirs, parse_ptxas, run_compiler, without_ptxas


def python(source: str) -> list[str]:
    return [sys.executable, "-c", source]


def test_a_compiler_that_hangs_is_stopped_with_its_children(tmp_path):
    marker = tmp_path / "alive"
    child = f"import time; time.sleep(1.5); open({str(marker)!r}, 'w')"
    hang = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    ran = run_compiler(python(hang), tmp_path, limit_s=0.5)
    assert not ran.ok
    assert ran.output == "The compiler was stopped after 0.5 s."
    assert ran.stopped
    time.sleep(1.6)
    assert not marker.exists()


def test_output_is_read_up_to_a_limit(tmp_path):
    ran = run_compiler(python("print('x' * 3_000_000)"), tmp_path)
    assert ran.ok
    assert len(ran.output) == 256 * 1024


def test_a_crash_is_named(tmp_path):
    ran = run_compiler(python("import os; os.abort()"), tmp_path)
    assert (ran.ok, ran.stopped) == (False, False)
    assert "SIGABRT" in ran.output


def test_a_compiler_sees_scratch_and_no_other_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "1")
    ran = run_compiler(python("import os; print(os.getcwd(), os.environ)"), tmp_path)
    assert ran.output.startswith(str(tmp_path))
    assert "SECRET" not in ran.output
    assert f"'TMPDIR': '{tmp_path / 'tmp'}'" in ran.output


TEXTS = [
    pytest.param("a\x1b[31mred\x1b[0m\x07\x00b\tc\n", "aredb\tc", id="colours and control"),
    pytest.param("a\u202eb\u200bc", "abc", id="invisible and reversing"),
    pytest.param("/s/kernel.cpp:1: error", "kernel.cpp:1: error", id="scratch path"),
    pytest.param("  \n", "", id="blank"),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_messages_are_cleaned(text, expected):
    assert clean(text, drop=[Path("/s")]) == expected


def test_a_long_message_starts_at_its_first_error():
    lines = [f"k.cpp:{i}: warning: w" for i in range(500)] + ["k.cpp:9: error: e"] + ["note"] * 900
    text = clean("\n".join(lines))
    assert text.startswith("k.cpp:499: warning: w\nk.cpp:9: error: e\nnote")
    assert text.endswith("… (the rest is left out)")
    assert len(text) <= 3_000


def test_one_endless_line_leaves_its_head():
    assert clean("error: " + "x" * 10_000).startswith("error: xxx")


NVRTC = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a' for 'sm_90a'
ptxas info    : Function properties for a
ptxas         .     8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 512 bytes smem
ptxas info    : Compile time = 21.849 ms
ptxas info    : Compiling entry function 'b' for 'sm_90a'
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, 360 bytes cmem[0]
ptxas warning : something
"""


def test_resources_are_read_per_kernel():
    a, b = parse_ptxas(NVRTC)
    assert (a.kernel, a.registers, a.shared_bytes, a.spill_bytes) == ("a", 255, 512, 4)
    assert (b.kernel, b.registers, b.shared_bytes, b.spill_bytes) == ("b", 10, 0, 0)
    assert parse_ptxas("nothing here") == ()


def test_warnings_stay_when_resources_are_taken_out():
    assert "ptxas warning : something" in without_ptxas(NVRTC)
    assert "registers" not in without_ptxas(NVRTC)


def test_a_toolkit_named_by_the_environment_is_searched(tmp_path, monkeypatch):
    include = tmp_path / "include"
    (include / "cccl").mkdir(parents=True)
    (include / "cuda_fp16.h").touch()
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    found = cuda_include_dirs()
    assert include in found
    assert found[found.index(include) + 1] == include / "cccl"
