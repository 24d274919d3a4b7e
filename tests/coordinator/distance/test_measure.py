"""The distance against the labels, and what it is made of."""

from collections import Counter

import pytest

from coordinator.distance.measure import distance
from guard.domain.decision import Policy
from guard.domain.solution import Solution, Source
from tests.coordinator.distance.labelled import PAIRS, pairs, read

LIMIT = Policy().drafting_distance
RIGHT = 0.95
FIRST = PAIRS / "first"


SEEN = {"first": {"same": 27, "different": 33}, "second": {"same": 8, "different": 39}}
"""Pairs told right when they were first measured. The first half was labelled beside the measure;
what docs/plateau.md says of the second is that the goal of 95 in 100 is missed there."""


def told_right() -> Counter[tuple[str, str]]:
    told: Counter[tuple[str, str]] = Counter()
    for pair in pairs():
        near = distance(*pair.solutions()).value < LIMIT
        told[pair.folder, pair.label] += near == (pair.label == "same")
    return told


def test_95_of_100_pairs_of_the_first_half_are_told_right_and_no_fewer_of_the_second_than_ever():
    told, given = told_right(), Counter((pair.folder, pair.label) for pair in pairs())
    for folder, by_label in SEEN.items():
        for label, least in by_label.items():
            assert told[folder, label] >= least, (folder, label)
    for label in ("same", "different"):
        assert told["first", label] >= RIGHT * given["first", label]


def test_it_does_not_matter_which_comes_first():
    for pair in pairs():
        one, other = pair.solutions()

        assert distance(one, other).value == pytest.approx(distance(other, one).value)


def test_another_language_family_is_as_far_as_can_be():
    cpp, triton = read(FIRST / "softmax/libm.cpp"), read(FIRST / "softmax/rows.py")

    assert distance(cpp, triton).value == 1


def test_two_ways_of_launching_are_one_family():
    planned = read(FIRST / "softmax/block_row.cu")
    host = (
        "void run(const float* x, float* y, int M, int N) {\n    softmax<<<M, 256>>>(x, y, N);\n}\n"
    )
    hosted = Solution(
        definition="softmax",
        language="cuda_cpp",
        sources=(Source(path="main.cu", content=planned.source + host),),
    )

    assert distance(planned, hosted).value < LIMIT


CODE = 'extern "C" void run(const float* x, float* y, long n) {{ {} }}'
EACH = "for (long i = 0; i < n; ++i) "


def cpp(body: str) -> Solution:
    source = Source(path="main.cpp", content=CODE.format(body))
    return Solution(definition="d", language="cpp", sources=(source,))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(
            f"float s = 0; {EACH}s += x[i]; y[0] = s;",
            f"float s = 0; {EACH}s = x[i] + s; y[0] = s;",
            True,
            id="a sum, spelled otherwise",
        ),
        pytest.param(
            f"float s = 0; {EACH}s += x[i]; y[0] = s;",
            f"float s = 0; {EACH}if (x[i] > s) s = x[i]; y[0] = s;",
            False,
            id="a sum, a maximum",
        ),
        pytest.param(
            f"float s = 0; {EACH}if (x[i] > s) s = x[i]; y[0] = s;",
            f"float s = 0; {EACH}s = s < x[i] ? x[i] : s; y[0] = s;",
            True,
            id="a maximum, spelled otherwise",
        ),
        pytest.param(
            f"{EACH}y[i] = x[i];",
            "long i = 0; while (i < n) { y[i] = x[i]; i += 1; }",
            True,
            id="while instead of for",
        ),
        pytest.param(
            f"{EACH}y[i] = x[i];",
            f"{EACH}for (long j = 0; j < n; ++j) y[i * n + j] = x[j * n + i];",
            False,
            id="another loop inside",
        ),
        pytest.param(
            f"{EACH}for (int k = 0; k < 4; ++k) y[4 * i + k] = x[4 * i + k];",
            f"{EACH}{{ y[4 * i] = x[4 * i]; y[4 * i + 1] = x[4 * i + 1]; }}",
            True,
            id="a few rounds written out",
        ),
    ],
)
def test_what_a_loop_finds_out_counts_and_not_how_it_is_spelled(one, other, same):
    assert (distance(cpp(one), cpp(other)).value < LIMIT) is same
