"""Take machine code apart, in a sandboxed builder: nvdisasm, cuobjdump, objdump or a compiler's -S.

    cubins        -> SASS, registers -> counts, packed listings
    a library     -> assembly        -> counts, packed listing

A tool that is missing, fails or is slow costs a sentence, never the compilation. Must never run
outside a builder: a disassembler reads what a candidate wrote. Start at `of_cubins`, `of_library`.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any

from guard import instructions
from guard.compile import run_compiler, toolkits
from guard.domain.machine_code import Instructions, Listing
from guard.packed import MAX_TEXT_BYTES, pack

LIMIT_S = 3.0
"""For all that is taken apart of one solution."""
# Without its analysis of branches, which adds nothing here, nvdisasm takes a third less time.
_COMMANDS: Mapping[str, tuple[str, ...]] = {"nvdisasm": ("-c", "-ndf"), "cuobjdump": ("-sass",)}
_USAGE = re.compile(r"Function (\S+):\s+REG:(\d+) STACK:(\d+)")
# cuobjdump prints the bits of every instruction after it, on two lines.
_ENCODING = re.compile(
    r"^[ \t]*/\* 0x[0-9a-f]{16} \*/\n|[ \t]*/\* 0x[0-9a-f]{16} \*/", re.MULTILINE
)


@dataclass(frozen=True)
class Found:
    """What could be learned of the machine code."""

    instructions: tuple[Instructions, ...] = ()
    listings: tuple[Listing, ...] = ()
    unlisted: str = ""

    @property
    def fields(self) -> dict[str, Any]:
        """As keywords of a `CompileReport`."""
        return {
            "instructions": self.instructions,
            "listings": self.listings,
            "unlisted": self.unlisted,
        }


@dataclass(frozen=True)
class Cubin:
    """One cubin to take apart."""

    code: bytes
    variant: str = ""
    """What tells its kernels from those of the same name in other cubins."""

    def named(self, kernel: str) -> str:
        """How reports call a kernel of it."""
        return f"{kernel} {self.variant}".rstrip()


@dataclass(frozen=True)
class Usage:
    """What a cubin says that a kernel takes."""

    registers: int
    stack_bytes: int


def find_tool(name: str) -> Path | None:
    """A program of CUDA's: from Triton's wheel, a toolkit, or the PATH."""
    return next((path for path in _places(name) if os.access(path, os.X_OK)), None)


def _places(name: str) -> Iterator[Path]:
    spec = find_spec("triton")
    for root in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(root) / "backends" / "nvidia" / "bin" / name
    for toolkit in toolkits():
        yield toolkit / "bin" / name
    if on_path := shutil.which(name):
        yield Path(on_path)


def of_cubins(cubins: Sequence[Cubin], ptx: Sequence[str], scratch: Path) -> Found:
    """Instructions per kernel, and listings of SASS and PTX."""
    listings = (pack("ptx", "\n".join(ptx)),) if any(ptx) else ()
    name, tool = next(((n, t) for n in _COMMANDS if (t := find_tool(n))), ("", None))
    if tool is None:
        missing = " nor ".join(_COMMANDS)
        return Found((), listings, f"Neither {missing} is on this host: no SASS, nothing counted.")
    texts = [_ENCODING.sub("", text) for text in _each(tool, _COMMANDS[name], cubins, scratch)]
    if not texts:
        return Found((), listings, f"{name} could not read the cubin: no SASS, nothing counted.")
    counted = [
        each.model_copy(update={"kernel": cubin.named(each.kernel)})
        for cubin, text in zip(cubins, texts, strict=False)
        for each in instructions.sass(text)
    ]
    cut = any(len(text) >= MAX_TEXT_BYTES for text in texts)
    sass = pack("sass", "\n".join(texts), cut=cut or len(texts) < len(cubins))
    unlisted = ""
    if len(texts) < len(cubins):
        unlisted = f"{name} took apart {len(texts)} of {len(cubins)} cubins before it failed or "
        unlisted += f"its {LIMIT_S:g} s were over."
    return Found(tuple(counted[: instructions.MAX_KERNELS]), (*listings, sass), unlisted)


def usage(cubins: Sequence[Cubin], scratch: Path) -> dict[str, Usage]:
    """Registers and stack per kernel, where cuobjdump is on this host."""
    tool = find_tool("cuobjdump")
    texts = _each(tool, ("-res-usage",), cubins, scratch) if tool else ()
    return {
        cubin.named(name): Usage(int(registers), int(stack_bytes))
        for cubin, text in zip(cubins, texts, strict=False)
        for name, registers, stack_bytes in _USAGE.findall(text)
    }


def _each(
    tool: Path, options: Sequence[str], cubins: Sequence[Cubin], scratch: Path
) -> Iterator[str]:
    """What the tool prints of one cubin after the other, until it fails or the time is over."""
    ends_s = monotonic() + LIMIT_S
    file = scratch / "listed.cubin"
    for cubin in cubins:
        file.write_bytes(cubin.code)
        text = _printed([str(tool), *options, file.name], scratch, ends_s - monotonic())
        if text is None:
            return
        yield text


def of_library(library: Path, compile_to_assembly: Callable[[], str], scratch: Path) -> Found:
    """Instructions per function and the assembly of a shared library.

    Where objdump is missing, `compile_to_assembly` gives what the compiler would assemble.
    """
    tool = shutil.which("objdump")
    if tool is None:
        text: str | None = compile_to_assembly()
        unlisted = "objdump is not on this host: this is the compiler's output, before linking."
    else:
        command = [tool, "-d", "-j", ".text", "--no-show-raw-insn", library.name]
        text, unlisted = _printed(command, scratch, LIMIT_S), ""
    if not text:
        return Found((), (), "The library could not be taken apart: no assembly, nothing counted.")
    # Before the first function stands where the file lay.
    text = text.partition("Disassembly of section .text:\n")[2].lstrip("\n") or text
    cut = len(text) >= MAX_TEXT_BYTES
    return Found(instructions.x86(text), (pack("asm", text, cut=cut),), unlisted)


def _printed(command: Sequence[str], scratch: Path, limit_s: float) -> str | None:
    """What a tool printed, or None where it failed or there was no time for it."""
    if limit_s <= 0:
        return None
    ran = run_compiler(command, scratch, limit_s, MAX_TEXT_BYTES)
    return ran.output if ran.ok else None
