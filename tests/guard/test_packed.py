"""`guard.packed`: listings come back line by line, and nothing that is sent can swell."""

import base64
import random
import zlib

import pytest

from guard.domain.machine_code import MAX_PACKED_BYTES
from guard.packed import MAX_LINES, MAX_TEXT_BYTES, pack, unpack


def test_a_listing_comes_back_as_it_was():
    listing = pack("sass", "one\n  two\n\nfour")
    assert list(unpack(listing.packed)) == ["one", "  two", "", "four"]
    assert not listing.cut


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("".join(random.Random(1).choices("abcdef0123456789\n", k=2**20)), id="random"),
        pytest.param("".join(random.Random(1).choices("abcdef0123456789", k=2**20)), id="one line"),
        pytest.param("the same\n" * (MAX_TEXT_BYTES // 8), id="long but even"),
    ],
)
def test_what_is_too_long_loses_its_end(text):
    listing = pack("asm", text)
    lines = unpack(listing.packed)
    assert listing.cut
    assert len(base64.b64decode(listing.packed)) <= MAX_PACKED_BYTES
    assert len(lines) <= MAX_LINES
    assert text.startswith("\n".join(lines)[: MAX_TEXT_BYTES // 8])


def test_a_cut_of_its_source_stays_told():
    assert pack("asm", "short", cut=True).cut


@pytest.mark.parametrize(
    "packed",
    [
        pytest.param("", id="nothing"),
        pytest.param("====", id="no base64"),
        pytest.param(base64.b64encode(b"plain text").decode(), id="not compressed"),
        pytest.param("A", id="half a byte"),
    ],
)
def test_what_cannot_be_read_has_no_lines(packed):
    assert [line for line in unpack(packed) if line] == []


def test_a_bomb_swells_no_further_than_a_listing_may():
    bomb = base64.b64encode(zlib.compress(b"\n" * (16 * MAX_TEXT_BYTES))).decode()
    assert len(unpack(bomb)) == MAX_LINES
    large = base64.b64encode(zlib.compress(b"x" * (16 * MAX_TEXT_BYTES))).decode()
    assert len(unpack(large)[0]) == MAX_TEXT_BYTES
