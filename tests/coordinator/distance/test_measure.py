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


def test_pairs_that_were_looked_at_are_told_right():
    told: Counter[tuple[str, str]] = Counter()
    given: Counter[tuple[str, str]] = Counter()
    for pair in pairs():
        near = distance(*pair.solutions()).value < LIMIT
        given[pair.folder, pair.label] += 1
        told[pair.folder, pair.label] += near == (pair.label == "same")
    for (folder, label), count in given.items():
        assert told[folder, label] >= RIGHT * count, (folder, label)


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
            f"{EACH}{{ float s = 0; for (long j = 0; j < n; ++j) s += x[j * n + i]; y[i] = s; }}",
            f"{EACH}for (long j = 0; j < n; ++j) y[j] += x[i * n + j];",
            False,
            id="another order of loops",
        ),
        pytest.param(
            f"float s = 0; {EACH}s += x[i]; y[0] = s;",
            "float s = 0, t = 0; long i = 0;"
            " for (; i + 2 <= n; i += 2) { s += x[i]; t += x[i + 1]; }"
            " for (; i < n; ++i) s += x[i]; y[0] = s + t;",
            True,
            id="two chains and what is left over",
        ),
        pytest.param(
            f"float s = 0; {EACH}s += x[i]; y[0] = s;",
            "float s = 0; auto add = [&](float v) { s += v; };"
            " const float* p = x; while (p != x + n) add(*p++); *y = s;",
            True,
            id="a lambda and a pointer",
        ),
        pytest.param(
            f"float s = 0, q = 0; {EACH}{{ s += x[i]; q += x[i] * x[i]; }} y[0] = q - s;",
            f"float s = 0, q = 0; {EACH}s += x[i]; {EACH}q += (x[i] - s) * (x[i] - s); y[0] = q;",
            False,
            id="a sum that needs another sum first",
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
