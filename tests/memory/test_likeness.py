import pytest

from memory.likeness import contradicts, likeness, repeats

NOTE = "tiles of 128 spill registers on this kernel"
PAIRS = [
    # other note, speedup told, speedup known, repeats
    pytest.param(NOTE.upper() + "!", None, None, True, id="the same words"),
    pytest.param("on this kernel, tiles of 128 spill all registers", None, 0.9, True, id="nearly"),
    pytest.param("tiles of 64 spill on another kernel", None, None, False, id="another lesson"),
    pytest.param(NOTE, 1.5, 1.45, True, id="a win as good"),
    pytest.param(NOTE, 1.5, 1.2, False, id="a better win is news"),
    pytest.param(NOTE, 1.1, 1.5, True, id="a lesser win is not"),
    pytest.param("…", None, None, False, id="no words"),
]


@pytest.mark.parametrize(("other", "speedup", "known", "expected"), PAIRS)
def test_what_tells_nothing_new_repeats(other, speedup, known, expected):
    assert repeats(other, speedup, NOTE, known) is expected


def test_a_number_is_a_word():
    assert likeness("unroll 4", "unroll 8") < 0.5
    assert likeness("tile 1.5 MiB", "tile 1.5 MiB") == 1


def test_opposites_speak_of_the_same_thing():
    assert contradicts("wide loads of 16 bytes are faster", "wide loads of 16 bytes are slower")
    assert not contradicts("wide loads of 16 bytes are faster", "persistent blocks lose occupancy")
