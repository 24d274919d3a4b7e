"""Hostile text is read to an end: nothing recurses or multiplies without a limit."""

import pytest

from coordinator.distance.measure import distance
from guard.domain.solution import MAX_SOURCE_BYTES, Solution, Source

RUN = 'extern "C" void run(const float* x, float* y, long n) {'


def filled(piece: str, before: str = "", after: str = "") -> str:
    """As many of these as a source may hold."""
    room = MAX_SOURCE_BYTES - len(before) - len(after)
    return before + piece * (room // len(piece)) + after


def solution(text: str, language: str) -> Solution:
    path = "main.py" if language in ("triton", "pytorch") else "main.cpp"
    return Solution(definition="d", language=language, sources=(Source(path=path, content=text),))


CALLS = "".join(f"float f{n}(float a) {{ return f{n + 1}(f{n + 1}(a)); }}\n" for n in range(4_000))
BRANCHES = filled("if (n > 1) { for (long i = 0; i < n; ++i) y[i] += x[i]; }\n", RUN)
KERNELS = (
    "".join(f"@triton.jit\ndef k{n}(x):\n    tl.store(x, {n})\n" for n in range(2_500))
    + "\ndef run(x):\n"
    + "".join(f"    k{n}[(1,)](x)\n" for n in range(2_500))
)
TEXTS = [
    pytest.param("cpp", filled("("), id="brackets"),
    pytest.param("cpp", filled("{"), id="braces"),
    pytest.param("cpp", filled("{},", "int a[] = {"), id="lists of lists"),
    pytest.param("cpp", filled("f(", RUN + "y[0] = "), id="calls of nobody inside calls"),
    pytest.param("cpp", filled("f(", f"float f(float a) {{ return a; }}\n{RUN}y[0] = "), id="own"),
    pytest.param("cpp", CALLS + RUN + "y[0] = f0(x[0]); }", id="calls that double"),
    pytest.param("cpp", filled("for (;;) ", RUN), id="loops inside loops"),
    pytest.param("cpp", filled("for (long i = 0; i < n; ++i) y[i] = x[i];\n", RUN), id="loops"),
    pytest.param("cpp", BRANCHES, id="branches"),
    pytest.param("cpp", filled("if (n) ", RUN), id="branches inside branches"),
    pytest.param("cpp", filled("else ", RUN), id="alternatives of nothing"),
    pytest.param("cpp", filled("#if __A__\n"), id="conditions"),
    pytest.param("cpp", filled("#define A A A\n", after="A\n"), id="a macro of itself"),
    pytest.param(
        "cpp", "".join(f"#define M{n} M{n + 1} M{n + 1}\n" for n in range(60)) + "M0", id="doubling"
    ),
    pytest.param("cpp", filled("#define F(a) F(F(a))\n", after="F(1)"), id="a macro that grows"),
    pytest.param("cpp", filled("a = ", RUN), id="assignments of assignments"),
    pytest.param("cpp", filled("a.", RUN), id="a long name"),
    pytest.param("cpp", filled("int a, ", RUN), id="declarations"),
    pytest.param("cpp", filled("y[i] * ", RUN), id="a product"),
    pytest.param("cpp", filled("[&]{", RUN), id="lambdas"),
    pytest.param("cpp", filled("auto f = [&](int a) {", RUN), id="named lambdas"),
    pytest.param("cpp", filled("f<", f"float f(float a) {{ return a; }}\n{RUN}"), id="templates"),
    pytest.param("triton", KERNELS, id="kernels"),
    pytest.param("pytorch", filled("[", "def run(x):\n    "), id="lists of Python"),
    pytest.param("pytorch", filled("if x: ", "def run(x):\n"), id="heads in one line"),
    pytest.param("pytorch", filled("@", "def run(x):\n x"), id="products of Python"),
    pytest.param("pytorch", "\n".join(" " * n + "if x:" for n in range(700)), id="ever further in"),
    pytest.param("pytorch", filled("x = torch.a(x)\n", "def run(x):\n  pass\n"), id="lines"),
    pytest.param("pytorch", "", id="nothing"),
]


@pytest.mark.parametrize(("language", "text"), TEXTS)
def test_it_comes_to_an_end(language, text):
    hostile = solution(text or "\n", language)

    assert distance(hostile, hostile).value == 0
