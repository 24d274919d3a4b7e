"""Read an ELF file (64 bits, little-endian): sections, symbols and relocations of machine code.

    bytes -> sections -> symbols, relocations

Pure. The bytes may be anything, since a candidate may have ruled what built them: whatever does not
fit together is a `BadElf`, and no more is looked at than the file is long. Start at `sections`.
Not here: what of it tells one machine code from another (`guard.code_digest`).
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

MAX_BYTES = 64 * 2**20
MAX_SYMBOLS = 100_000
SYMBOLS, STRINGS, RELOCATIONS, DYNAMIC, NOTES, EMPTY, DYNAMIC_SYMBOLS = 2, 3, 4, 6, 7, 8, 11
"""Types of sections."""
LOADED = 2
"""The flag of a section that lies in memory when it runs."""
FUNCTION = 2
"""The type of a symbol that names code."""
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SEGMENT = struct.Struct("<II")
"""How every entry of that table begins."""
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")


class BadElf(ValueError):
    """The bytes are no such file."""


class Section(NamedTuple):
    """One part of the file."""

    name: str
    kind: int
    flags: int
    address: int
    size_bytes: int
    link: int
    info: int
    alignment: int
    data: bytes


class Symbol(NamedTuple):
    """A name for a place."""

    name: str
    info: int
    other: int
    section: int
    """Its number; 0: it is defined elsewhere."""
    value: int
    size_bytes: int

    @property
    def is_function(self) -> bool:
        """Whether it names code that is in this file."""
        return self.info & 15 == FUNCTION and self.section != 0


class Relocation(NamedTuple):
    """A place that the loader fills in."""

    offset: int
    kind: int
    symbol: int
    addend: int


def sections(code: bytes) -> tuple[Section, ...]:
    """All parts of a file, in order.

    Raises:
        BadElf: it is none, or larger than anything that is loaded.
    """
    if len(code) > MAX_BYTES or code[:6] != b"\x7fELF\x02\x01":
        raise BadElf("no ELF file of 64 bits, or too large a one")
    try:
        header = _HEADER.unpack_from(code)
        place, entry_bytes, count, names_at = header[6], header[11], header[12], header[13]
        rows = [_SECTION.unpack_from(code, place + entry_bytes * n) for n in range(count)]
    except (struct.error, OverflowError) as error:
        raise BadElf(str(error)) from error
    if sum(row[5] for row in rows if row[1] != EMPTY) > len(code) or names_at >= len(rows):
        raise BadElf("its sections overlap")
    names = _data(code, rows[names_at])
    return tuple(_section(code, row, names) for row in rows)


def segments(code: bytes) -> tuple[tuple[int, int], ...]:
    """What a loader is asked for: types and flags, such as a stack that can be executed.

    Raises:
        BadElf: there are fewer than the file says.
    """
    try:
        header = _HEADER.unpack_from(code)
        place, entry_bytes, count = header[5], header[9], header[10]
        rows = [_SEGMENT.unpack_from(code, place + entry_bytes * n) for n in range(count)]
    except (struct.error, OverflowError) as error:
        raise BadElf(str(error)) from error
    return tuple((kind, flags) for kind, flags in rows)


def symbols(parts: Sequence[Section], table: Section) -> tuple[Symbol, ...]:
    """The entries of a symbol table.

    Raises:
        BadElf: it has no table of names, or too many entries.
    """
    if table.link >= len(parts) or len(table.data) > MAX_SYMBOLS * _SYMBOL.size:
        raise BadElf("a symbol table without names, or too long a one")
    names = parts[table.link].data
    whole = len(table.data) // _SYMBOL.size * _SYMBOL.size
    return tuple(
        Symbol(_text(names, name), info, other, section, value, size)
        for name, info, other, section, value, size in _SYMBOL.iter_unpack(table.data[:whole])
    )


def relocations(table: Section) -> Iterator[Relocation]:
    """The entries of a table of relocations."""
    whole = len(table.data) // _RELOCATION.size * _RELOCATION.size
    for offset, info, addend in _RELOCATION.iter_unpack(table.data[:whole]):
        yield Relocation(offset, info & 0xFFFFFFFF, info >> 32, addend)


def functions(known: Sequence[Symbol]) -> Mapping[str, int]:
    """The functions of a file by name: each one's number in the table."""
    return {each.name: number for number, each in enumerate(known) if each.is_function}


def _section(code: bytes, row: tuple[int, ...], names: bytes) -> Section:
    name, kind, flags, address, _, size_bytes, link, info, alignment, _ = row
    data = _data(code, row)
    return Section(
        _text(names, name), kind, flags, address, size_bytes, link, info, alignment, data
    )


def _data(code: bytes, row: tuple[int, ...]) -> bytes:
    return b"" if row[1] == EMPTY else code[row[4] : row[4] + row[5]]


def _text(names: bytes, at: int) -> str:
    end = names.find(b"\0", at)
    # Names have been seen of some hundred characters; a longer one is not worth keeping whole.
    return names[at : min(end if end >= 0 else len(names), at + 4096)].decode(errors="replace")
