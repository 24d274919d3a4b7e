"""Tell whether two candidates are the same machine code, whatever its source calls things.

    cubins, and how they are launched | a shared library -> SHA-256

Left out are names, files, lines, notes and what debuggers read. All else counts, known or not: what
differs in anything that may matter is told apart, and so is some that only looks different. A
function of another library is known by its name alone, so that name counts.

Pure. No verdict is given on the strength of a digest, only an answer from the record. Start at
`of_cubin` and `of_library`. Not here: reading such files (`guard.elf`), which files a language
leaves (`guard.languages`).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from guard import elf
from guard.domain.solution import LaunchPlan
from guard.elf import Section, Symbol

_OF_NAMES = frozenset({elf.SYMBOLS, elf.STRINGS, elf.NOTES})
_FOR_LOADERS = frozenset(
    {elf.DYNAMIC_SYMBOLS, elf.DYNAMIC, 5, 0x6FFFFFF6, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF}
)
"""Types of sections by which a loader finds names: lists, hashes and versions of them."""


class Cubin(NamedTuple):
    """A cubin without names."""

    digest: str
    kernels: Mapping[str, int]
    """What its functions are called, and which of its symbols each one is."""


def of_cubin(code: bytes) -> Cubin:
    """A cubin's digest, and what the names in a launch plan stand for.

    Raises:
        BadElf: it is no cubin.
    """
    parts = elf.sections(code)
    known = [s for part in parts if part.kind == elf.SYMBOLS for s in elf.symbols(parts, part)]
    kernels = elf.functions(known)
    return Cubin(digest((*_of_cubin(parts, kernels), *map(_of_symbol, known))), kernels)


def of_library(code: bytes, called: Sequence[str]) -> str:
    """The digest of a shared library of which the functions `called` are called, where there.

    Raises:
        BadElf: it is no shared library.
    """
    parts = elf.sections(code)
    table = next((part for part in parts if part.kind == elf.DYNAMIC_SYMBOLS), None)
    if table is None:
        raise elf.BadElf("it has no symbols for a loader")
    known = elf.symbols(parts, table)
    places = {symbol.name: symbol.value for symbol in known if symbol.section}
    entries = _told("called", [places.get(name) for name in called])
    return digest((*_of_library(parts, known), entries, _told(elf.segments(code))))


def of_plan(plan: LaunchPlan, kernels: Mapping[str, int]) -> bytes:
    """A launch plan with numbers in the place of its kernels' names."""
    told = plan.model_dump(mode="json")
    for launch in told["kernels"]:
        launch["kernel"] = kernels.get(launch["kernel"], launch["kernel"])
    return json.dumps(told, sort_keys=True).encode()


def digest(parts: Iterable[bytes]) -> str:
    """SHA-256 over parts, each with its length."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "little"))
        whole.update(part)
    return whole.hexdigest()


def _of_cubin(parts: Iterable[Section], kernels: Mapping[str, int]) -> Iterator[bytes]:
    for part in parts:
        name = _without_kernel(part.name, kernels)
        if part.kind not in _OF_NAMES and "debug" not in name:
            yield _told(name, *part[1:-1])
            yield part.data


def _without_kernel(name: str, kernels: Mapping[str, int]) -> str:
    """A section's name such as ``.text.run``, with a number in the place of the kernel's."""
    for place, letter in enumerate(name):
        if letter == "." and name[place + 1 :] in kernels:
            return f"{name[:place]}.{kernels[name[place + 1 :]]}"
    return name


def _of_symbol(symbol: Symbol) -> bytes:
    return _told("" if symbol.section else symbol.name, *symbol[1:])


def _of_library(parts: Iterable[Section], known: Sequence[Symbol]) -> Iterator[bytes]:
    for part in parts:
        if not part.flags & elf.LOADED or part.kind in _OF_NAMES | _FOR_LOADERS:
            continue
        if part.kind == elf.RELOCATIONS:
            # Where its own functions can be replaced by others of that name, names count too. Of
            # several functions only the place tells which one has the name.
            filled = [
                (each.offset, each.kind, each.addend, _meant(known, each.symbol))
                for each in elf.relocations(part)
            ]
            yield _told(part.name, sorted(filled))
        else:
            yield _told(part.name, part.kind, part.flags, part.address, part.size_bytes)
            yield part.data


def _meant(known: Sequence[Symbol], number: int) -> tuple[str | int, ...]:
    """The name that a loader looks up, and what the library itself has of that name."""
    if number >= len(known):
        return (number,)
    symbol = known[number]
    place = symbol.value if symbol.section else -1
    return (symbol.name, symbol.info, symbol.other, place, symbol.size_bytes)


def _told(*values: object) -> bytes:
    return repr(values).encode()
