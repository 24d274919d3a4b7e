"""Listings as they travel and are kept: compressed, bounded both ways, cut at a line.

Unpacking trusts nothing: what a builder sent may be no listing, or swell to gigabytes. Pure.
Start at `pack` and `unpack`, which are a pair.
"""

import base64
import zlib
from collections.abc import Sequence

from guard.domain.machine_code import MAX_PACKED_BYTES, Kind, Listing

MAX_TEXT_BYTES = 4 * 2**20
"""Of an unpacked listing."""
MAX_LINES = 200_000


def pack(kind: Kind, text: str, *, cut: bool = False) -> Listing:
    """Compress a listing; what is too long loses its end, and the listing says so."""
    data = text.encode(errors="replace")
    kept = _whole_lines(data, MAX_TEXT_BYTES)
    packed = zlib.compress(kept)
    while len(packed) > MAX_PACKED_BYTES:
        # A little less than in proportion, so that few rounds are enough.
        kept = _whole_lines(kept, len(kept) * MAX_PACKED_BYTES // len(packed) * 9 // 10)
        packed = zlib.compress(kept)
    return Listing(
        kind=kind, cut=cut or len(kept) < len(data), packed=base64.b64encode(packed).decode()
    )


def unpack(packed: str) -> Sequence[str]:
    """The lines of a packed listing; none where it cannot be read."""
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(packed), MAX_TEXT_BYTES)
    except (ValueError, zlib.error):
        return ()
    return data.decode(errors="replace").split("\n", MAX_LINES)[:MAX_LINES]


def _whole_lines(data: bytes, limit: int) -> bytes:
    if len(data) <= limit:
        return data
    head = data[:limit]
    # A single endless line is cut within.
    return head.rpartition(b"\n")[0] or head
