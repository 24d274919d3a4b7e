"""`guard.listing`: what a missing, failing or slow tool costs."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from guard import listing, packed
from guard.listing import Cubin, find_tool, of_cubins, of_library, usage

SASS = "\\t.section\\t.text.k,\\n        /*0000*/                   FFMA R1, R2, R3, R4 ;"
PTX = (".visible .entry k()",)
Install = Callable[[str, str], None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Install:
    """A host whose only tools are those that are installed here, as shell scripts."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(listing, "find_spec", lambda name: None)
    monkeypatch.setattr(listing, "toolkits", lambda: iter(()))

    def put(name: str, script: str) -> None:
        tool = folder / name
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)

    return put


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def test_without_a_disassembler_the_rest_is_told_and_why(install: Install, scratch: Path):
    found = of_cubins((Cubin(b"code"),), PTX, scratch)
    assert [one.kind for one in found.listings] == ["ptx"]
    assert found.instructions == ()
    assert found.unlisted.startswith("Neither nvdisasm nor cuobjdump is on this host")
    assert usage((Cubin(b"code"),), scratch) == {}


@pytest.mark.parametrize("name", ["nvdisasm", "cuobjdump"])
def test_either_disassembler_serves(install: Install, scratch: Path, name: str):
    install(name, f"printf '{SASS}'")
    found = of_cubins((Cubin(b"code"),), (), scratch)
    assert [one.kind for one in found.listings] == ["sass"]
    assert found.instructions[0].classes == {"ffma": 1}
    assert found.unlisted == ""


def test_the_bits_of_instructions_are_left_out(install: Install, scratch: Path):
    line = f"{SASS} /* 0x00000a00ff017b82 */\\n      /* 0x000fe20000000800 */\\n /*0010*/ EXIT ;"
    install("cuobjdump", f"printf '{line}'")
    (kept,) = of_cubins((Cubin(b"code"),), (), scratch).listings
    assert len(packed.unpack(kept.packed)) == 3
    assert not any("0x" in line for line in packed.unpack(kept.packed))


@pytest.mark.parametrize(
    "script", ["exit 1", "kill -9 $$", "exec tail -f /dev/null"], ids=["fails", "dies", "hangs"]
)
def test_a_tool_that_fails_costs_a_sentence(
    install: Install, scratch: Path, monkeypatch: pytest.MonkeyPatch, script: str
):
    monkeypatch.setattr(listing, "LIMIT_S", 0.5)
    install("nvdisasm", script.replace("tail", "/usr/bin/tail"))
    install("objdump", script.replace("tail", "/usr/bin/tail"))
    found = of_cubins((Cubin(b"code"),), PTX, scratch)
    assert [one.kind for one in found.listings] == ["ptx"]
    assert found.unlisted == "nvdisasm could not read the cubin: no SASS, nothing counted."
    library = of_library(scratch / "solution.so", lambda: "", scratch)
    assert (library.listings, library.instructions) == ((), ())
    assert library.unlisted.startswith("The library could not be taken apart")


def test_the_cubins_that_were_read_are_told_of(install: Install, scratch: Path):
    install(
        "nvdisasm", f"while read line; do [ $line = good ] || exit 1; done < $3; printf '{SASS}'"
    )
    cubins = (Cubin(b"good\n", "[B=1]"), Cubin(b"good\n", "[B=2]"), Cubin(b"bad\n", "[B=3]"))
    found = of_cubins(cubins, (), scratch)
    assert [each.kernel for each in found.instructions] == ["k [B=1]", "k [B=2]"]
    assert found.listings[0].cut
    assert found.unlisted.startswith("nvdisasm took apart 2 of 3 cubins")


def test_what_a_tool_prints_is_read_no_further_than_a_listing_may_be_long(
    install: Install, scratch: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(listing, "MAX_TEXT_BYTES", 1000)
    program = "print('run:'); [print(chr(9) + 'ret') for _ in range(10**4)]"
    install("objdump", f'exec {sys.executable} -c "{program}"')
    found = of_library(scratch / "solution.so", lambda: "", scratch)
    assert found.listings[0].cut
    assert found.instructions[0].total == 199


def test_without_objdump_the_compiler_is_asked(install: Install, scratch: Path):
    found = of_library(scratch / "solution.so", lambda: "run:\n\tret\n", scratch)
    assert [each.kernel for each in found.instructions] == ["run"]
    assert found.unlisted.startswith("objdump is not on this host")


def test_a_tool_is_found_on_the_path_last(install: Install):
    assert find_tool("nvdisasm") is None
    install("nvdisasm", "exit 0")
    assert find_tool("nvdisasm") is not None
